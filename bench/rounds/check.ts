import { contenders } from '../contenders/all.ts';
import type { Contender } from '../contenders/contender.ts';
import type { Load } from '../load/remote.ts';
import { type Server, startServer } from '../processes/server.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { type Workload, workloads } from '../workloads/workloads.ts';
import { type Backends, backendFor } from './backends.ts';

const REQUESTS = 100;
const CONNECTIONS = 8;
const PATIENCE_SECONDS = 30;

/** Asks every contender each workload a few times: answers must be right, and Portico must not ask for more than it needs. */
export async function checkAll(load: Load, backends: Backends): Promise<void> {
  for (const contender of contenders) {
    const reason = contender.missing?.();
    if (reason !== undefined) {
      console.log(`${contender.title}: skipped, ${reason}`);
      continue;
    }
    await checkOne(contender, load, backends).catch((error: unknown) => {
      throw new Error(contender.title, { cause: error });
    });
  }
}

/** Starts it once for each upstream. */
async function checkOne(contender: Contender, load: Load, backends: Backends): Promise<void> {
  for (const isDelayed of [false, true]) {
    const some = workloads.filter((workload) => workload.isDelayed === isDelayed);
    const [first] = some;
    if (!first) continue;
    const upstream = await backendFor(first, backends, load);
    const server = await startServer(contender, upstream.url);
    try {
      for (const workload of some) {
        console.log(
          `${contender.title}, ${workload.short}: ${await cost(contender, workload, server, upstream, load)}`,
        );
      }
    } finally {
      await server.stop();
    }
  }
}

async function cost(
  contender: Contender,
  workload: Workload,
  server: Server,
  upstream: Upstream,
  load: Load,
): Promise<string> {
  const reason = contender.unable[workload.id];
  if (reason !== undefined) return `cannot, ${reason}`;
  const before = await upstream.calls();
  const { requests } = await load.call('closed', {
    url: server.url,
    workload: workload.id,
    dialect: contender.dialect,
    connections: CONNECTIONS,
    extent: { seconds: 0, requests: REQUESTS, atMostSeconds: PATIENCE_SECONDS },
  });
  const each = ((await upstream.calls()) - before) / requests;
  if (contender.id === 'portico' && each > workload.restCalls) {
    throw new Error(`${each} calls for an operation of ${workload.short}, not ${workload.restCalls}`);
  }
  return `${each.toFixed(2)} calls per operation`;
}
