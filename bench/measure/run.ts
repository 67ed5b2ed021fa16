import type { Contender } from '../contenders/contender.ts';
import type { LoadGenerator } from '../load/remote.ts';
import { type WorkloadId, workloadOf, workloads } from '../workloads/workloads.ts';
import { describeMachine, versionsOf } from './environment.ts';
import { createInstruments } from './instruments.ts';
import { measureLatencies, type Rated } from './latency.ts';
import type { Plan } from './plan.ts';
import type { Results } from './results.ts';
import { measureStartUps } from './start-up.ts';
import { spreadOf, textOf, turnsOf } from './statistics.ts';
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
  const skipped = results.contenders.filter((contender) => contender.skipped !== null).map(({ id }) => id);
  const available = contenders.filter(({ id }) => !skipped.includes(id));
  for (const id of plan.workloads) await measureWorkload(id, available, plan, load, upstreams, results);
  const instruments = createInstruments(plan, load, upstreams);
  for (const contender of chosen(available, plan.garbage.contenders)) {
    results.garbage.push(await instruments.measureGarbage(contender));
  }
  for (const contender of chosen(available, plan.cpuProfile.contenders)) {
    results.cpuProfiles.push(await instruments.profileCpu(contender));
  }
  results.startUps = await measureStartUps(plan.startUps, upstreams);
  if (plan.latency.rounds > 0) await measureLatenciesOf(results, plan, contenders, load, upstreams);
  return results;
}

/** Measures the latencies at the rates of a run, and adds them to its results in place of others. */
export async function measureLatenciesOf(
  results: Results,
  plan: Plan,
  contenders: readonly Contender[],
  load: LoadGenerator,
  upstreams: Upstreams,
): Promise<Results> {
  const available = contenders.filter((contender) => !contender.unavailable?.());
  results.plan = { ...results.plan, latency: plan.latency };
  results.latencies = await measureLatencies(ratesOf(available, results), plan, load, upstreams);
  return results;
}

/** The contenders with their median rate in the workload whose latencies are measured. */
function ratesOf(contenders: readonly Contender[], { turns, plan: { latency } }: Results): Rated[] {
  return contenders.flatMap((contender) => {
    const rates = turnsOf(turns, latency.workload, contender.id).map(({ perSecond }) => perSecond);
    const saturationPerSecond = spreadOf(rates)?.median;
    return saturationPerSecond === undefined ? [] : [{ contender, saturationPerSecond }];
  });
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

function chosen(contenders: readonly Contender[], ids: readonly string[] | undefined): Contender[] {
  return contenders.filter(({ id }) => ids === undefined || ids.includes(id));
}
