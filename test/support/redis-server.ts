import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { freePort } from './ports.ts';

/** A Redis of the test's own, which it may stop, kill and start again on the same port. */
export async function startRedisServer() {
  const port = await freePort();
  let child = start();

  function start() {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    return spawn('redis-server', args, { stdio: 'ignore' });
  }
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(kill);
  const admin = new Redis(port, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  admin.on('error', () => {});
  onTestFinished(() => admin.disconnect());
  await admin.ping();
  return {
    port,
    url: `redis://127.0.0.1:${port}/`,
    /** A connection of the test's own. */
    admin,
    stop: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    kill,
    restart() {
      child = start();
    },
  };
}
