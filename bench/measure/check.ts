import type { Contender } from '../contenders/contender.ts';
import type { LoadGenerator } from '../load/remote.ts';
import { startServer } from '../processes/server.ts';
import type { Upstream } from '../upstream/upstreams.ts';
import { CONNECTIONS } from '../workloads/connections.ts';
import { workloadOf } from '../workloads/workloads.ts';
import { assertNothingShared } from './turns.ts';

const REQUESTS = 4 * CONNECTIONS;

/** Sends every contender each of its workloads: responses must be right, and it makes the REST calls that they need. */
export async function checkAll(
  contenders: readonly Contender[],
  load: LoadGenerator,
  upstream: Upstream,
): Promise<void> {
  for (const contender of contenders) {
    await checkOne(contender, load, upstream).catch((error: unknown) => {
      throw new Error(contender.title, { cause: error });
    });
  }
}

async function checkOne(contender: Contender, load: LoadGenerator, upstream: Upstream): Promise<void> {
  const server = await startServer(contender, upstream.url);
  try {
    for (const id of contender.workloads) {
      const workload = workloadOf(id);
      const before = await upstream.calls();
      const loop = await load.call('openClosedLoop', {
        url: server.url,
        workload: id,
        connections: CONNECTIONS,
      });
      const { requests } = await load
        .call('runClosedLoop', { loop, extent: { requests: REQUESTS } })
        .finally(() => load.call('closeClosedLoop', { loop }));
      const calls = (await upstream.calls()) - before;
      assertNothingShared(contender, workload, requests, calls);
      if (contender.id.startsWith('portico') && calls > requests * workload.restCalls)
        throw new Error(`${calls} REST calls for ${requests} operations of ${id}`);
      console.log(`${contender.title}, ${id}: ${(calls / requests).toFixed(2)} calls per operation`);
    }
  } finally {
    await server.stop();
  }
}
