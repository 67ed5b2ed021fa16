import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Contender } from '../contenders/contender.ts';
import { startServer } from '../processes/server.ts';
import type { Plan } from './plan.ts';
import type { StartUp } from './results.ts';

const compared = ['portico', 'mercurius'];

/** Starts Portico, with its defaults, and Mercurius in turns. */
export async function measureStartUps(
  { contenders, startUps: rounds }: Plan,
  upstreamUrl: string,
): Promise<StartUp[]> {
  const startUps: StartUp[] = [];
  for (let round = 1; round <= rounds; round += 1)
    for (const contender of contenders.filter(({ id }) => compared.includes(id)))
      startUps.push({ round, contender: contender.id, ...(await startOnce(contender, upstreamUrl)) });
  return startUps;
}

async function startOnce(contender: Contender, upstreamUrl: string) {
  const spawnedAt = performance.now();
  const server = await startServer({ ...contender, env: {} }, upstreamUrl);
  try {
    // Mercurius, which has no such path, is ready with its 404.
    const [response] = (await once(get(`${server.url}/readyz`), 'response')) as [IncomingMessage];
    const readyMs = performance.now() - spawnedAt;
    response.resume();
    if ((response.statusCode ?? 0) >= 500) throw new Error(`${contender.title} is not ready`);
    return { readyMs, rssMb: server.memory().rssMb };
  } finally {
    await server.stop();
  }
}
