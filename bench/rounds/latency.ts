import { type Contender, UPSTREAM_CONNECTIONS } from '../contenders/contender.ts';
import type { OpenOutcome } from '../load/open.ts';
import type { Load } from '../load/remote.ts';
import { startServer } from '../processes/server.ts';
import { shareWaited } from '../processes/usage.ts';
import type { Workload } from '../workloads/workloads.ts';
import type { Backends } from './backends.ts';
import type { Plan } from './plan.ts';
import type { Latency } from './results.ts';

/** Asks a contender at fixed moments, at half of what it can do, for each delay of the upstream. */
export async function measureLatency(
  contender: Contender,
  workload: Workload,
  round: number,
  saturationPerSecond: number,
  { connections, warmUp, latency: { delaysMs, mostPerSecond, leadSeconds, seconds } }: Plan,
  load: Load,
  backends: Backends,
): Promise<Latency[]> {
  const server = await startServer(contender, backends.slow.url);
  const target = { url: server.url, workload: workload.id, dialect: contender.dialect };
  const found: Latency[] = [];
  try {
    await load.call('setDelay', { ms: 0 });
    await load.call('closed', { ...target, connections, extent: warmUp });
    for (const delayMs of delaysMs) {
      // Half of what the contenders' connections to the upstream can carry, each busy for the delay at least.
      const mostByDelay = (UPSTREAM_CONNECTIONS / 2) * (1000 / delayMs);
      const perSecond = Math.min(saturationPerSecond / 2, mostPerSecond, mostByDelay);
      const schedule = { perSecond, leadSeconds, seconds };
      await load.call('setDelay', { ms: delayMs });
      const direct: OpenOutcome | undefined =
        workload.restCalls === 1
          ? await load.call('open', {
              url: backends.slow.url,
              workload: workload.id,
              dialect: 'rest',
              ...schedule,
            })
          : undefined;
      const before = server.usage();
      const { p50Ms, p99Ms, lateP99Ms } = await load.call('open', { ...target, ...schedule });
      const waitShare = shareWaited(before, server.usage(), leadSeconds + seconds);
      found.push({
        round,
        workload: workload.id,
        contender: contender.id,
        delayMs,
        perSecond,
        p50Ms,
        p99Ms,
        lateP99Ms,
        waitShare,
        direct: direct ? { p50Ms: direct.p50Ms, p99Ms: direct.p99Ms } : null,
      });
    }
    return found;
  } finally {
    await server.stop();
  }
}
