import type { Contender } from '../contenders/contender.ts';
import type { LoadGenerator } from '../load/remote.ts';
import { turnsOf } from '../report/ratios.ts';
import { spreadOf, textOf } from '../report/statistics.ts';
import { type WorkloadId, workloadOf, workloads } from '../workloads/workloads.ts';
import { profileCpu } from './cpu-profile.ts';
import { describeMachine, versionsOf } from './environment.ts';
import { measureGarbage } from './garbage.ts';
import { measureLatencies } from './latency.ts';
import type { Plan } from './plan.ts';
import type { Results } from './results.ts';
import { measureStartUps } from './start-up.ts';
import { measureTurns } from './turns.ts';
import type { Upstreams } from './upstreams.ts';

/** Measures everything that the plan contains. */
export async function measureAll(
  plan: Plan,
  contenders: readonly Contender[],
  load: LoadGenerator,
  upstreams: Upstreams,
): Promise<Results> {
  const results = emptyResults(plan, contenders, upstreams);
  const available = contenders.filter(
    ({ id }) => results.contenders.find((one) => one.id === id)?.skipped === null,
  );
  for (const id of plan.workloads) await measureWorkload(id, available, plan, load, upstreams, results);
  for (const contender of chosen(available, plan.garbage.contenders)) {
    results.garbage.push(await measureGarbage(contender, plan, load, upstreams));
  }
  if (plan.more) await measureMore(plan.more, available, plan, load, upstreams, results);
  return results;
}

function emptyResults(plan: Plan, contenders: readonly Contender[], { nginx }: Upstreams): Results {
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    plan,
    machine: describeMachine(nginx),
    contenders: contenders.map((contender) => ({
      id: contender.id,
      title: contender.title,
      versions: versionsOf(contender),
      skipped: contender.unavailable?.() ?? null,
    })),
    unsupported: contenders.flatMap(({ id, unsupported }) =>
      workloads.flatMap(({ id: workload }) => {
        const reason = unsupported[workload];
        return reason === undefined ? [] : [{ contender: id, workload, reason }];
      }),
    ),
    turns: [],
    processes: [],
    garbage: [],
    latencies: [],
    cpuProfiles: [],
    startUps: [],
  };
}

async function measureWorkload(
  id: WorkloadId,
  available: readonly Contender[],
  plan: Plan,
  load: LoadGenerator,
  upstreams: Upstreams,
  results: Results,
): Promise<void> {
  const workload = workloadOf(id);
  const upstream = await upstreams.forWorkload(workload);
  if (!upstream) return console.log(`${workload.short}: skipped, openssl is missing`);
  const participants = chosen(available, plan.contenders[id]).filter(({ unsupported }) => !unsupported[id]);
  const { turns, processes } = await measureTurns(workload, participants, plan, load, upstream);
  results.turns.push(...turns);
  results.processes.push(...processes);
  for (const { id: contender, title } of participants) {
    const own = turnsOf(results.turns, id, contender);
    const cpu = textOf(spreadOf(own.map(({ cpuUs }) => cpuUs)), 0);
    const rate = textOf(spreadOf(own.map(({ perSecond }) => perSecond)), 0);
    console.log(`${workload.short}, ${title}: ${cpu} µs, ${rate} operations/s`);
  }
}

async function measureMore(
  { latency, cpuProfile, startUps }: NonNullable<Plan['more']>,
  available: readonly Contender[],
  plan: Plan,
  load: LoadGenerator,
  upstreams: Upstreams,
  results: Results,
): Promise<void> {
  for (const contender of chosen(available, cpuProfile.contenders)) {
    results.cpuProfiles.push(await profileCpu(contender, cpuProfile.seconds, plan, load, upstreams));
  }
  results.startUps = await measureStartUps(startUps, upstreams);
  const rated = available.flatMap((contender) => {
    const rates = turnsOf(results.turns, latency.workload, contender.id).map(({ perSecond }) => perSecond);
    const saturationPerSecond = spreadOf(rates)?.median;
    return saturationPerSecond === undefined ? [] : [{ contender, saturationPerSecond }];
  });
  results.latencies = await measureLatencies(rated, plan, latency, load, upstreams);
}

function chosen(contenders: readonly Contender[], ids: readonly string[] | undefined): Contender[] {
  return contenders.filter(({ id }) => ids === undefined || ids.includes(id));
}
