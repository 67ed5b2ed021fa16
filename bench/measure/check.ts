import type { Contender } from '../contenders/contender.ts';
import type { LoadGenerator } from '../load/remote.ts';
import { type Server, startServer } from '../processes/server.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { type Workload, workloads } from '../workloads/workloads.ts';
import type { Upstreams } from './upstreams.ts';

const REQUESTS = 100;
const CONNECTIONS = 8;

/** Sends every contender each workload a few times: responses must be right, and Portico must not make more calls than needed. */
export async function checkAll(
  contenders: readonly Contender[],
  load: LoadGenerator,
  upstreams: Upstreams,
): Promise<void> {
  for (const contender of contenders) {
    const reason = contender.unavailable?.();
    if (reason !== undefined) {
      console.log(`${contender.title}: skipped, ${reason}`);
      continue;
    }
    await checkOne(contender, load, upstreams).catch((error: unknown) => {
      throw new Error(contender.title, { cause: error });
    });
  }
}

/** Starts the contender once for each upstream. */
async function checkOne(contender: Contender, load: LoadGenerator, upstreams: Upstreams): Promise<void> {
  const servers = new Map<string, Server>();
  try {
    for (const workload of workloads) {
      const name = `${contender.title}, ${workload.short}`;
      const upstream = await upstreams.forWorkload(workload);
      const reason = upstream ? contender.unsupported[workload.id] : 'openssl is missing';
      if (!upstream || reason !== undefined) {
        console.log(`${name}: not possible, ${reason}`);
        continue;
      }
      const server = servers.get(upstream.url) ?? (await startServer(contender, upstream));
      servers.set(upstream.url, server);
      const calls = await countCalls(contender, workload, server, upstream, load);
      console.log(`${name}: ${calls.toFixed(2)} calls per operation`);
      if (contender.id.startsWith('portico') && calls > workload.restCalls) {
        throw new Error(`${calls} calls for an operation of ${workload.short}, not ${workload.restCalls}`);
      }
    }
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

async function countCalls(
  { format }: Contender,
  { id: workload }: Workload,
  { url }: Server,
  upstream: Upstream,
  load: LoadGenerator,
): Promise<number> {
  const before = await upstream.counts();
  const loop = await load.call('openClosedLoop', { url, workload, format, connections: CONNECTIONS });
  try {
    const { requests } = await load.call('runClosedLoop', { loop, extent: { requests: REQUESTS } });
    return ((await upstream.counts()).calls - before.calls) / requests;
  } finally {
    await load.call('closeClosedLoop', { loop });
  }
}
