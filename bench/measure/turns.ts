import type { Contender } from '../contenders/contender.ts';
import type { LoadGenerator } from '../load/remote.ts';
import { type Server, startServer } from '../processes/server.ts';
import { cpuBetween } from '../processes/usage.ts';
import type { Upstream } from '../upstream/upstreams.ts';
import { CONNECTIONS } from '../workloads/connections.ts';
import type { Workload } from '../workloads/workloads.ts';
import { type Plan, warmUpOf } from './plan.ts';
import type { Series } from './results.ts';

/** A contender that is alive, with its connections and its measurements. */
interface Participant {
  contender: Contender;
  server: Server;
  loop: number;
  series: Series;
}

const WARM_UP_SLICES = 8;

/** Measures one workload in several rounds, each with new processes. */
export async function measureRounds(
  workload: Workload,
  plan: Plan,
  load: LoadGenerator,
  upstream: Upstream,
): Promise<Series[]> {
  let all: Series[] = [];
  for (let round = 0; round < plan.processes; round += 1) {
    const measured = await measureTurns(workload, plan, load, upstream);
    all = measured.map((one, nth) => joined(all[nth], one));
  }
  return all;
}

function joined(before: Series | undefined, { cpuUs, perSecond, peakMb, ...rest }: Series): Series {
  return {
    ...rest,
    cpuUs: [...(before?.cpuUs ?? []), ...cpuUs],
    perSecond: [...(before?.perSecond ?? []), ...perSecond],
    peakMb: Math.max(before?.peakMb ?? 0, peakMb),
  };
}

/**
 * Measures one workload: all contenders are alive at the same time and take turns of a closed loop, so that changes of the
 * machine's speed affect all of them alike.
 */
async function measureTurns(
  workload: Workload,
  { contenders, cycles, turnSeconds }: Plan,
  load: LoadGenerator,
  upstream: Upstream,
): Promise<Series[]> {
  const participants: Participant[] = [];
  try {
    for (const contender of contenders.filter(({ workloads }) => workloads.includes(workload.id)))
      participants.push(await startParticipant(contender, workload, load, upstream));
    await warmUp(participants, workload, load);
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      for (const participant of inOrder(participants, cycle))
        await measureTurn(participant, workload, turnSeconds, load, upstream);
    }
    for (const { server, series } of participants) series.peakMb = server.memory().peakMb;
    return participants.map(({ series }) => series);
  } finally {
    for (const { server, loop } of participants) {
      await load.call('closeClosedLoop', { loop });
      await server.stop();
    }
  }
}

async function startParticipant(
  contender: Contender,
  { id: workload }: Workload,
  load: LoadGenerator,
  upstream: Upstream,
): Promise<Participant> {
  const server = await startServer(contender, upstream.url);
  const loop = await load.call('openClosedLoop', { url: server.url, workload, connections: CONNECTIONS });
  const series = { workload, contender: contender.id, cpuUs: [], perSecond: [], peakMb: 0 };
  return { contender, server, loop, series };
}

/** Warms up in slices, so that all contenders compile their code under the same conditions. */
async function warmUp(
  participants: readonly Participant[],
  workload: Workload,
  load: LoadGenerator,
): Promise<void> {
  for (let slice = 0; slice < WARM_UP_SLICES; slice += 1) {
    for (const { contender, loop } of inOrder(participants, slice)) {
      const requests = Math.ceil(warmUpOf(workload, contender) / WARM_UP_SLICES);
      await load.call('runClosedLoop', { loop, extent: { requests } });
    }
  }
}

/** Every second cycle is reversed, so that drift cancels; every third one starts with the next contender. */
function inOrder<T>(all: readonly T[], cycle: number): T[] {
  const first = Math.floor(cycle / 2) % all.length;
  const rotated = [...all.slice(first), ...all.slice(0, first)];
  return cycle % 2 === 0 ? rotated : rotated.reverse();
}

async function measureTurn(
  { contender, server, loop, series }: Participant,
  workload: Workload,
  seconds: number,
  load: LoadGenerator,
  upstream: Upstream,
): Promise<void> {
  // A request on each connection that is not measured: it fills caches and reopens connections.
  await load.call('runClosedLoop', { loop, extent: { requests: CONNECTIONS } });
  const callsBefore = await upstream.calls();
  const before = server.usage();
  const turn = await load.call('runClosedLoop', { loop, extent: { seconds } });
  series.cpuUs.push(cpuBetween(before, server.usage()) / turn.requests);
  series.perSecond.push(turn.requests / turn.seconds);
  assertNothingShared(contender, workload, turn.requests, (await upstream.calls()) - callsBefore);
}

/** @throws Error if a contender made fewer REST calls than its operations need: it did other work than the others */
export function assertNothingShared(
  { title }: Contender,
  { id, restCalls }: Workload,
  requests: number,
  calls: number,
): void {
  if (calls >= requests * restCalls) return;
  const needed = `${requests} operations of ${id} need ${requests * restCalls}`;
  throw new Error(
    `${title} made ${calls} REST calls where ${needed}: equal calls overlapped, so that no figure is fair`,
  );
}
