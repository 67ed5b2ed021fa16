import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Contender, UPSTREAM_CONNECTIONS } from '../contenders/contender.ts';
import { onFirstCore } from '../processes/cores.ts';
import { end, launch } from '../processes/launch.ts';
import { freePort } from '../processes/ports.ts';
import { scratchFolder } from '../processes/scratch.ts';
import { memoryOf } from '../processes/usage.ts';
import type { Plan } from './plan.ts';
import type { StartUp } from './results.ts';

const POLL_MS = 5;
const START_TIMEOUT_MS = 60_000;

const compared = ['portico', 'mercurius'];

/** Starts Portico, with its defaults, and Mercurius in turns. */
export async function measureStartUps(
  { contenders, startUps: rounds }: Plan,
  upstreamUrl: string,
): Promise<StartUp[]> {
  const startUps: StartUp[] = [];
  for (let round = 1; round <= rounds; round += 1)
    for (const { id, command } of contenders.filter(({ id }) => compared.includes(id)))
      startUps.push({ round, contender: id, ...(await startOnce(command, upstreamUrl)) });
  return startUps;
}

async function startOnce(command: Contender['command'], upstreamUrl: string) {
  const port = await freePort();
  const spawnedAt = performance.now();
  const child = launch(onFirstCore(command), {
    cwd: scratchFolder(),
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      PORT: String(port),
      UPSTREAM_URL: upstreamUrl,
      UPSTREAM_CONNECTIONS: String(UPSTREAM_CONNECTIONS),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    while ((await statusOf(port)) >= 500) {
      if (child.exitCode !== null) throw new Error(`A server exited with ${child.exitCode}`);
      if (performance.now() - spawnedAt > START_TIMEOUT_MS) throw new Error('A server does not become ready');
      await delay(POLL_MS);
    }
    const readyMs = performance.now() - spawnedAt;
    return { readyMs, rssMb: memoryOf(child.pid ?? 0).rssMb };
  } finally {
    await end(child);
  }
}

/** The status of `/readyz`, which is 404 for Mercurius; infinite while the port is closed. */
function statusOf(port: number): Promise<number> {
  return new Promise((resolve) => {
    const req = request({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (res) => {
      res.resume();
      resolve(res.statusCode ?? Infinity);
    });
    req.on('error', () => resolve(Infinity));
    req.end();
  });
}
