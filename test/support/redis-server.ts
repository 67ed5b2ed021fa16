import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const binary = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0);

/** Whether a server can be started; warns if not. */
export const hasRedisServer = binary !== undefined;
if (!hasRedisServer) console.warn('skipped: there is no redis-server or valkey-server to stop and start');

/** A new Redis or Valkey, which loses its data when it is stopped. */
export async function startRedisServer() {
  const dir = await mkdtemp(join(tmpdir(), 'portico-redis-'));
  const port = await freePort();
  const start = async () => {
    const args = [
      '--port',
      `${port}`,
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      dir,
    ];
    const child = spawn(binary ?? '', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    while (!output.includes('eady to accept connections')) await once(child.stdout, 'data');
    return { child, exited };
  };
  let running = await start();
  const stop = async (signal: NodeJS.Signals) => {
    running.child.kill(signal);
    await running.exited;
  };
  onTestFinished(async () => {
    await stop('SIGKILL');
    await rm(dir, { recursive: true });
  });
  return {
    url: `redis://127.0.0.1:${port}/`,
    stop: () => stop('SIGTERM'),
    async start() {
      running = await start();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
