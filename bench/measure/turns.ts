import type { Contender } from '../contenders/contender.ts';
import type { LoadGenerator } from '../load/remote.ts';
import { type Server, startServer } from '../processes/server.ts';
import { cpuBetween, type Usage, waitShareBetween } from '../processes/usage.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Workload } from '../workloads/workloads.ts';
import { connectionsOf, type Plan } from './plan.ts';
import type { ProcessRecord, Turn } from './results.ts';

/** A contender that is alive, with its connections and what it used while others had their turns. */
interface Participant {
  contender: Contender;
  server: Server;
  loop: number;
  rssAfterStartMb: number | null;
  idle: { since: Usage; sinceMs: number; cpuUs: number; ms: number };
}

/** Requests on each connection at the start of a turn that are not measured: they fill caches and reopen connections. */
const LEAD_REQUESTS = 2;

const WARM_UP_SLICES = 8;

/**
 * Measures one workload: all contenders are alive at the same time and take turns of a closed loop, so that changes of the
 * machine's speed affect all of them alike.
 */
export async function measureTurns(
  workload: Workload,
  contenders: readonly Contender[],
  given: Plan,
  load: LoadGenerator,
  upstream: Upstream,
): Promise<{ turns: Turn[]; processes: ProcessRecord[] }> {
  const participants: Participant[] = [];
  const turns: Turn[] = [];
  const plan = { ...given, connections: connectionsOf(given, workload) };
  try {
    for (const contender of contenders) {
      participants.push(await startParticipant(contender, workload, plan, load, upstream));
    }
    await warmUp(participants, workload, plan, load);
    for (let cycle = 0; cycle < plan.cycles; cycle += 1) {
      for (const participant of inOrder(participants, cycle)) {
        turns.push(await measureTurn(participant, workload, cycle, plan, load, upstream));
      }
    }
    return { turns, processes: participants.map((participant) => recordOf(participant, workload)) };
  } finally {
    for (const { server, loop } of participants) {
      await load.call('closeClosedLoop', { loop });
      await server.stop();
    }
  }
}

/** In slices, so that all contenders compile their code under the same conditions. */
async function warmUp(
  participants: readonly Participant[],
  workload: Workload,
  plan: Plan,
  load: LoadGenerator,
): Promise<void> {
  const requestsOf = ({ id }: Contender) =>
    Math.ceil((plan.warmUp[workload.id] * (plan.warmUpShares[id] ?? 1)) / WARM_UP_SLICES);
  for (let slice = 0; slice < WARM_UP_SLICES; slice += 1) {
    for (const { contender, loop } of inOrder(participants, slice)) {
      await load.call('runClosedLoop', { loop, extent: { requests: requestsOf(contender) } });
    }
  }
  for (const { server, idle } of participants) {
    idle.since = server.usage();
    idle.sinceMs = performance.now();
  }
}

/** Every second cycle is reversed, so that drift cancels; every third one starts with the next contender. */
function inOrder<T>(all: readonly T[], cycle: number): T[] {
  const first = Math.floor(cycle / 2) % all.length;
  const rotated = [...all.slice(first), ...all.slice(0, first)];
  return cycle % 2 === 0 ? rotated : rotated.reverse();
}

async function startParticipant(
  contender: Contender,
  workload: Workload,
  { connections }: Plan,
  load: LoadGenerator,
  upstream: Upstream,
): Promise<Participant> {
  const server = await startServer(contender, upstream);
  const rssAfterStartMb = server.memory()?.rssMb ?? null;
  const target = { url: server.url, workload: workload.id, format: contender.format };
  const loop = await load.call('openClosedLoop', { ...target, connections });
  const idle = { since: server.usage(), sinceMs: performance.now(), cpuUs: 0, ms: 0 };
  return { contender, server, loop, rssAfterStartMb, idle };
}

async function measureTurn(
  { contender, server, loop, idle }: Participant,
  workload: Workload,
  cycle: number,
  { connections, turnSeconds }: Plan,
  load: LoadGenerator,
  upstream: Upstream,
): Promise<Turn> {
  idle.cpuUs += cpuBetween(idle.since, server.usage()) ?? 0;
  idle.ms += performance.now() - idle.sinceMs;
  await load.call('runClosedLoop', { loop, extent: { requests: LEAD_REQUESTS * connections } });
  const callsBefore = await upstream.counts();
  const before = server.usage();
  const { requests, seconds, loadShare } = await load.call('runClosedLoop', {
    loop,
    extent: { seconds: turnSeconds },
  });
  const after = server.usage();
  idle.since = after;
  idle.sinceMs = performance.now();
  const callsAfter = await upstream.counts();
  const calls = callsAfter.calls - callsBefore.calls;
  const cpuUs = cpuBetween(before, after);
  return {
    workload: workload.id,
    contender: contender.id,
    cycle,
    requests,
    perSecond: requests / seconds,
    cpuUs: cpuUs === null ? null : cpuUs / requests,
    calls: calls / requests,
    callsPerDistinct:
      callsAfter.distinct === null || callsBefore.distinct === null
        ? null
        : calls / (callsAfter.distinct - callsBefore.distinct),
    waitShare: waitShareBetween(before, after, seconds),
    loadShare,
  };
}

function recordOf(
  { contender, server, rssAfterStartMb, idle }: Participant,
  { id: workload }: Workload,
): ProcessRecord {
  const memory = server.memory();
  return {
    workload,
    contender: contender.id,
    rssAfterStartMb,
    peakMb: memory?.peakMb ?? null,
    idleShare: memory && idle.cpuUs / (idle.ms * 1000),
  };
}
