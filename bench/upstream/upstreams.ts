import type { LoadGenerator } from '../load/remote.ts';
import { nginxVersion, startNginx } from './nginx.ts';

/** A server of the REST API with the fixtures. */
export interface Upstream {
  url: string;
  /** How many calls it has received. */
  calls(): Promise<number>;
}

/** The upstreams of a run. */
export interface Upstreams {
  /** The cheapest one: nginx if it is installed. */
  fast: Upstream;
  /** A Node server in the process of the load generator, which can delay its responses. */
  node: Upstream & { setDelay(ms: number): Promise<void> };
  /** The version of nginx; undefined if it is not installed, and Node serves in its place. */
  nginx: string | undefined;
  stop(): Promise<void>;
}

/** Starts them. */
export async function startUpstreams(load: LoadGenerator): Promise<Upstreams> {
  const node = {
    url: await load.call('startUpstream'),
    calls: () => load.call('countCalls'),
    setDelay: async (ms: number) => void (await load.call('setDelay', { ms })),
  };
  const nginx = nginxVersion();
  if (nginx === undefined) return { fast: node, node, nginx, stop: async () => {} };
  const fast = await startNginx();
  return { fast, node, nginx, stop: fast.stop };
}
