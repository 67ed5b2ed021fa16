import { contenders } from '../contenders/all.ts';
import type { Contender } from '../contenders/contender.ts';
import type { Load } from '../load/remote.ts';
import { hasCores, sharesCores } from '../processes/cores.ts';
import { type Workload, workloadOf, workloads } from '../workloads/workloads.ts';
import type { Backends } from './backends.ts';
import { machine, versionsOf } from './circumstances.ts';
import { measureLatency } from './latency.ts';
import { fullPlan, type Plan } from './plan.ts';
import { profile } from './profile.ts';
import type { Results } from './results.ts';
import { saturate } from './saturation.ts';

/** Measures everything, the contenders in turn, round after round. */
export async function measureAll(plan: Plan, load: Load, backends: Backends): Promise<Results> {
  const entries = contenders.map((contender) => ({ contender, skipped: reasonToSkip(contender) }));
  for (const { contender, skipped } of entries) {
    if (skipped !== null) console.log(`${contender.title}: skipped, ${skipped}`);
  }
  const running = entries.filter(({ skipped }) => skipped === null).map(({ contender }) => contender);
  const results: Results = {
    measuredOn: new Date().toISOString().slice(0, 10),
    isQuick: plan !== fullPlan,
    plan,
    machine: machine(backends.nginx),
    contenders: entries.map(({ contender, skipped }) => ({
      id: contender.id,
      title: contender.title,
      versions: versionsOf(contender),
      cores: contender.cores,
      sharesCores: sharesCores(contender.cores),
      skipped,
    })),
    unable: running.flatMap(({ id, unable }) =>
      workloads.flatMap(({ id: workload }) => {
        const reason = unable[workload];
        return reason === undefined ? [] : [{ contender: id, workload, reason }];
      }),
    ),
    saturation: [],
    latency: [],
    profiles: [],
  };
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const workload of workloads) {
      for (const contender of running) {
        if (contender.unable[workload.id] !== undefined) continue;
        if (contender.only && !contender.only.includes(workload.id)) continue;
        await load.leave(contender.cores);
        await measureOne(contender, workload, round, plan, load, backends, results);
      }
    }
  }
  results.profiles = await profileAll(running, plan, load, backends);
  return results;
}

/** Those whose profiles are worth a look beside each other: ours, the least there can be, and the best of the others. */
const profiled = ['floor', 'mercurius', 'portico'];

async function profileAll(running: readonly Contender[], plan: Plan, load: Load, backends: Backends) {
  const profiles: Results['profiles'] = [];
  for (const contender of running.filter(({ id }) => profiled.includes(id))) {
    await load.leave(contender.cores);
    profiles.push(await profile(contender, workloadOf('clients'), plan, load, backends));
  }
  return profiles;
}

function reasonToSkip(contender: Contender): string | null {
  if (!hasCores(contender.cores)) return `it needs ${contender.cores} cores of its own`;
  return contender.missing?.() ?? null;
}

async function measureOne(
  contender: Contender,
  workload: Workload,
  round: number,
  plan: Plan,
  load: Load,
  backends: Backends,
  results: Results,
): Promise<void> {
  const saturation = await saturate(contender, workload, round, plan, load, backends);
  results.saturation.push(saturation);
  const { perSecond, cpuUs, calls, loadShare, waitShare } = saturation;
  const cost = cpuUs === null ? '' : `${cpuUs.toFixed(0)} µs, `;
  console.log(
    `round ${round}, ${workload.short}, ${contender.title}: ${cost}${perSecond.toFixed(0)}/s, ` +
      `${calls.toFixed(2)} calls, load ${(loadShare * 100).toFixed(0)} % of its core${waitText(waitShare)}`,
  );
  if (contender.only || !plan.latency.workloads.includes(workload.id)) return;
  const latencies = await measureLatency(contender, workload, round, perSecond, plan, load, backends);
  results.latency.push(...latencies);
  for (const { delayMs, p50Ms, p99Ms, direct, waitShare: waited } of latencies) {
    const beside = direct ? ` (direct ${direct.p50Ms.toFixed(2)}, ${direct.p99Ms.toFixed(2)})` : '';
    console.log(
      `  at ${delayMs} ms: p50 ${p50Ms.toFixed(2)}, p99 ${p99Ms.toFixed(2)}${beside}${waitText(waited)}`,
    );
  }
}

function waitText(share: number | null): string {
  return share === null ? '' : `, waited for it ${(share * 100).toFixed(0)} % of the time`;
}
