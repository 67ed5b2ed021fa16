import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { startCommand } from '../contenders/portico.ts';
import { inProject } from '../paths.ts';
import { onFirstCore } from '../processes/cores.ts';
import { end, launch } from '../processes/launch.ts';
import { freePort } from '../processes/ports.ts';
import { scratchFolder } from '../processes/scratch.ts';
import { memoryOf } from '../processes/usage.ts';
import type { StartUp } from './results.ts';
import type { Upstreams } from './upstreams.ts';

const POLL_MS = 5;
const START_TIMEOUT_MS = 60_000;

/** Starts the built Portico a number of times, with `UPSTREAM_URL` and with the embedded reference in turn. */
export async function measureStartUps(count: number, { node }: Upstreams): Promise<StartUp[]> {
  const startUps: StartUp[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    startUps.push(
      { upstream: 'UPSTREAM_URL', ...(await startOnce({ UPSTREAM_URL: node.url })) },
      { upstream: 'embedded reference', ...(await startOnce({})) },
    );
  }
  return startUps;
}

/** In an empty folder, so that the embedded reference creates its database. */
async function startOnce(env: Record<string, string>): Promise<Omit<StartUp, 'upstream'>> {
  const port = await freePort();
  const spawnedAt = performance.now();
  const child = launch(onFirstCore(startCommand(inProject('.'))), {
    cwd: scratchFolder(),
    env: { PATH: process.env.PATH ?? '', PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    while ((await statusOf(port)) !== 200) {
      if (child.exitCode !== null) throw new Error(`Portico exited with ${child.exitCode}`);
      if (performance.now() - spawnedAt > START_TIMEOUT_MS) throw new Error('Portico does not become ready');
      await delay(POLL_MS);
    }
    const readyMs = performance.now() - spawnedAt;
    return { readyMs, rssMb: memoryOf(child.pid ?? 0)?.rssMb ?? null };
  } finally {
    await end(child);
  }
}

/** The status of `/readyz`; undefined while the port is closed. */
function statusOf(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const req = request({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (res) => {
      res.resume();
      resolve(res.statusCode);
    });
    req.on('error', () => resolve(undefined));
    req.end();
  });
}
