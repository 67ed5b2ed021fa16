import { type Contender, UPSTREAM_CONNECTIONS } from '../contenders/contender.ts';
import type { LoadGenerator } from '../load/remote.ts';
import { type Server, startServer } from '../processes/server.ts';
import { waitShareBetween } from '../processes/usage.ts';
import { workloadOf } from '../workloads/workloads.ts';
import type { Plan } from './plan.ts';
import type { Latency } from './results.ts';
import type { Upstreams } from './upstreams.ts';

/** A contender with the rate at which it was saturated. */
export interface Rated {
  contender: Contender;
  saturationPerSecond: number;
}

/** Measures latencies in an open loop at half of the saturation: all contenders are alive, and take turns in each round. */
export async function measureLatencies(
  rated: readonly Rated[],
  plan: Plan,
  load: LoadGenerator,
  { node }: Upstreams,
): Promise<Latency[]> {
  const { warmUp, rounds, maxPerSecond, leadSeconds, seconds } = plan.latency;
  const workload = workloadOf(plan.latency.workload);
  const running: (Rated & { server: Server })[] = [];
  const latencies: Latency[] = [];
  try {
    await node.setDelay(0);
    for (const entry of rated.filter(({ contender }) => plan.latency.contenders.includes(contender.id))) {
      const server = await startServer(entry.contender, node);
      running.push({ ...entry, server });
      const target = { url: server.url, workload: workload.id, format: entry.contender.format };
      const loop = await load.call('openClosedLoop', { ...target, connections: plan.connections });
      await load.call('runClosedLoop', { loop, extent: { requests: warmUp } });
      await load.call('closeClosedLoop', { loop });
    }
    for (let round = 1; round <= rounds; round += 1) {
      for (const { delayMs, isPinned, ids } of casesOf(plan)) {
        await node.setDelay(delayMs);
        for (const { contender, saturationPerSecond, server } of running) {
          if (!ids.includes(contender.id)) continue;
          server.pin(isPinned);
          // Half of what the connections to the upstream can carry, each of them in use for the delay at least.
          const maxByDelay = (UPSTREAM_CONNECTIONS / 2) * (1000 / delayMs);
          const perSecond = Math.min(saturationPerSecond / 2, maxPerSecond, maxByDelay);
          const schedule = { workload: workload.id, perSecond, leadSeconds, seconds };
          const { p50Ms, p99Ms } = await load.call('runOpenLoop', {
            url: node.url,
            format: 'rest',
            ...schedule,
          });
          const before = server.usage();
          const result = await load.call('runOpenLoop', {
            url: server.url,
            format: contender.format,
            ...schedule,
          });
          const waitShare = waitShareBetween(before, server.usage(), leadSeconds + seconds);
          const direct = { p50Ms, p99Ms };
          const about = { round, contender: contender.id, delayMs, isPinned, perSecond };
          latencies.push({ ...about, ...result, waitShare, direct });
        }
      }
      console.log(`latency: round ${round} of ${rounds}`);
    }
    return latencies;
  } finally {
    for (const { server } of running) await server.stop();
  }
}

/** Every delay with all cores, where garbage is collected on another one; the shortest also on one core. */
function casesOf({ latency: { delaysMs, contenders, pinned } }: Plan) {
  const cases = delaysMs.map((delayMs) => ({ delayMs, isPinned: false, ids: contenders }));
  return [...cases, { delayMs: Math.min(...delaysMs), isPinned: true, ids: pinned }];
}
