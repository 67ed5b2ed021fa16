import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Reading } from './memory-gauge.ts';

const main = resolve(import.meta.dirname, '../../src/main.ts');
const gauge = resolve(import.meta.dirname, 'memory-gauge.ts');

/** A gateway in a process of its own that tells what it holds. */
export async function startGaugedGateway(upstreamUrl: string, env: Record<string, string>) {
  const child = fork(main, {
    // Code that comes and goes would be noise.
    execArgv: [
      '--expose-gc',
      '--no-flush-bytecode',
      '--import',
      import.meta.resolve('tsx'),
      '--import',
      gauge,
    ],
    env: { PATH: process.env.PATH ?? '', PORT: '0', UPSTREAM_URL: upstreamUrl, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [ready] = await once(child.stdout ?? child, 'data');
  const complaints: string[] = [];
  // What it notes of operations and calls is much.
  const lines = createInterface(child.stderr ?? Readable.from([])).on('line', (line) => {
    if (!/"event":"(operation|upstream)"/.test(line)) complaints.push(line);
  });
  const ended = once(lines, 'close');

  const read = async (): Promise<Reading> => {
    const answer = once(child, 'message');
    child.send('read');
    const [reading] = await answer;
    return reading;
  };
  return {
    url: /ready at (\S+)/.exec(String(ready))?.[1] ?? '',
    read,
    /** The first reading that `fits`; the last one when none does in time. */
    async settled(fits: (reading: Reading) => boolean, patienceMs: number): Promise<Reading> {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        const reading = await read();
        if (fits(reading) || performance.now() > deadline) return reading;
        await pause(100);
      }
    },
    /** Ends it; all that it has written to its error output. */
    async stop(): Promise<string> {
      child.kill('SIGTERM');
      // The channel would keep it alive.
      child.disconnect();
      await ended;
      return complaints.join('\n');
    },
  };
}
