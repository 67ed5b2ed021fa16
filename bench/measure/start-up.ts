import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { startCommand } from '../contenders/portico.ts';
import { onFirstCore } from '../processes/cores.ts';
import { end, launch } from '../processes/launch.ts';
import { freePort } from '../processes/ports.ts';
import { scratchFolder } from '../processes/scratch.ts';
import { memoryOf } from '../processes/usage.ts';
import type { StartUp } from './results.ts';

const POLL_MS = 5;
const START_TIMEOUT_MS = 60_000;

/** Starts the built Portico, with its defaults, a number of times. */
export async function measureStartUps(count: number, upstreamUrl: string): Promise<StartUp[]> {
  const startUps: StartUp[] = [];
  for (let nth = 0; nth < count; nth += 1) startUps.push(await startOnce(upstreamUrl));
  return startUps;
}

async function startOnce(upstreamUrl: string): Promise<StartUp> {
  const port = await freePort();
  const spawnedAt = performance.now();
  const child = launch(onFirstCore(startCommand()), {
    cwd: scratchFolder(),
    env: { PATH: process.env.PATH ?? '', PORT: String(port), UPSTREAM_URL: upstreamUrl },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    while ((await statusOf(port)) !== 200) {
      if (child.exitCode !== null) throw new Error(`Portico exited with ${child.exitCode}`);
      if (performance.now() - spawnedAt > START_TIMEOUT_MS) throw new Error('Portico does not become ready');
      await delay(POLL_MS);
    }
    const readyMs = performance.now() - spawnedAt;
    return { readyMs, rssMb: memoryOf(child.pid ?? 0).rssMb };
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
