import type { LoadGenerator } from '../load/remote.ts';
import { isUsageKnown } from '../processes/usage.ts';
import type { Upstreams } from '../upstream/upstreams.ts';
import { describeMachine, installedVersions } from './environment.ts';
import { measureLatencies } from './latency.ts';
import type { Plan } from './plan.ts';
import type { Results } from './results.ts';
import { measureStartUps } from './start-up.ts';
import { spreadOf, textOf } from './statistics.ts';
import { measureRounds } from './turns.ts';

/** Measures everything that the plan contains. `commit` is that of the tree, if the tree is clean. */
export async function measureAll(
  plan: Plan,
  commit: string | null,
  load: LoadGenerator,
  upstreams: Upstreams,
): Promise<Results> {
  if (!isUsageKnown) throw new Error('Only Linux reports the CPU time of each thread');
  const results: Results = {
    measuredOn: new Date().toISOString().slice(0, 10),
    commit,
    machine: describeMachine(upstreams.nginx),
    node: process.version.slice(1),
    versions: installedVersions(),
    contenders: plan.contenders.map(({ id, title }) => ({ id, title })),
    series: [],
    startUps: await measureStartUps(plan, upstreams.node.url),
    latencies: [],
  };
  for (const workload of plan.workloads) {
    const series = await measureRounds(workload, plan, load, upstreams.fast);
    results.series.push(...series);
    for (const { contender, cpuUs, perSecond } of series) {
      const [cpu, rate] = [textOf(spreadOf(cpuUs), 0), textOf(spreadOf(perSecond), 0)];
      console.log(`${workload.id}, ${contender}: ${cpu} µs, ${rate} operations/s`);
    }
  }
  if (plan.latencyRounds > 0) results.latencies = await measureLatencies(plan, load, upstreams);
  return results;
}
