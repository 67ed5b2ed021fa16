import type { Contender } from '../contenders/contender.ts';
import type { LoadGenerator } from '../load/remote.ts';
import { type Server, startServer } from '../processes/server.ts';
import type { Upstreams } from '../upstream/upstreams.ts';
import { CONNECTIONS } from '../workloads/connections.ts';
import { workloadOf } from '../workloads/workloads.ts';
import { type Plan, warmUpOf } from './plan.ts';
import type { Latency } from './results.ts';
import { quantile } from './statistics.ts';

/** A schedule that every contender keeps, and about a fifth of the load that it can carry. */
const schedule = { workload: 'w2', perSecond: 4000, leadSeconds: 0.5, seconds: 1.5 } as const;
const DELAY_MS = 4;
const compared = ['hand-written-space', 'portico'];

/** Measures latencies in an open loop: both contenders are alive, have every core, and take turns in each round. */
export async function measureLatencies(
  { contenders, latencyRounds }: Plan,
  load: LoadGenerator,
  { node }: Upstreams,
): Promise<Latency[]> {
  const running: { contender: Contender; server: Server }[] = [];
  const latencies: Latency[] = [];
  try {
    await node.setDelay(0);
    for (const contender of contenders.filter(({ id }) => compared.includes(id))) {
      const server = await startServer(contender, node.url, false);
      running.push({ contender, server });
      const target = { url: server.url, workload: schedule.workload, connections: CONNECTIONS };
      const loop = await load.call('openClosedLoop', target);
      const requests = warmUpOf(workloadOf(schedule.workload), contender);
      await load.call('runClosedLoop', { loop, extent: { requests } });
      await load.call('closeClosedLoop', { loop });
    }
    await node.setDelay(DELAY_MS);
    for (let round = 1; round <= latencyRounds; round += 1) {
      for (const { contender, server } of running) {
        const measured = await load.call('runOpenLoop', { url: server.url, ...schedule });
        const sorted = Float64Array.from(measured).sort();
        const [p50Ms, p99Ms] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
        latencies.push({ round, contender: contender.id, p50Ms, p99Ms });
      }
    }
    return latencies;
  } finally {
    await node.setDelay(0);
    for (const { server } of running) await server.stop();
  }
}
