import type { Load } from '../load/remote.ts';
import { nginxVersion, startNginx } from '../upstream/nginx.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Workload } from '../workloads/workloads.ts';

/** Where the delay at saturation matters: equal calls must have the time to meet. */
export const MIX_DELAY_MS = 4;

/** The upstreams of a run: one that costs as little as can be, and one that takes its time. */
export interface Backends {
  fast: Upstream;
  slow: Upstream;
  nginx: string | undefined;
  stop(): Promise<void>;
}

/** Starts them: nginx where it is installed. */
export async function startBackends(load: Load): Promise<Backends> {
  const slow: Upstream = {
    url: await load.call('slowUrl', {}),
    calls: async () => (await load.call('tally', {})).calls,
  };
  const nginx = nginxVersion();
  if (nginx === undefined) return { fast: slow, slow, nginx, stop: async () => {} };
  const fast = await startNginx();
  return { fast, slow, nginx, stop: fast.stop };
}

/** The upstream of a workload at saturation, with its delay set. */
export async function backendFor(workload: Workload, backends: Backends, load: Load): Promise<Upstream> {
  await load.call('setDelay', { ms: workload.isDelayed ? MIX_DELAY_MS : 0 });
  return workload.isDelayed ? backends.slow : backends.fast;
}
