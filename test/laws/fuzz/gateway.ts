import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { Reading } from './process.ts';

const entry = resolve(import.meta.dirname, 'process.ts');

/** A gateway as a process of its own, with its default limits and GraphiQL; it is gone when the test is. */
export async function forkGateway(upstreamUrl: string) {
  const child = fork(entry, {
    execArgv: ['--import', import.meta.resolve('tsx')],
    env: { PATH: process.env.PATH ?? '', PORT: '0', GRAPHIQL: 'on', UPSTREAM_URL: upstreamUrl },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let said = '';
  let hasEnded = false;
  const ended = once(child, 'exit').then(([code, signal]) => {
    hasEnded = true;
    throw new Error(`The gateway ended with ${code ?? signal}: ${said}`);
  });
  ended.catch(() => {});
  // What cannot be sent to it any more shows in its end.
  child.on('error', () => {});
  const stop = async () => {
    child.kill('SIGKILL');
    await ended.catch(() => {});
  };
  onTestFinished(stop);
  const noted: string[] = [];
  const hear = (line: string) => {
    if (/^\{"level":"(info|warn)"/.test(line)) noted.push(line);
    else said += `${line}\n`;
  };
  for (const output of [child.stdout, child.stderr]) if (output) createInterface(output).on('line', hear);

  const waiting = new Map<number, (reading: Reading) => void>();
  child.on('message', (reading: Reading) => {
    waiting.get(reading.number)?.(reading);
    waiting.delete(reading.number);
  });
  const reading = (number: number) =>
    Promise.race([new Promise<Reading>((resolve) => waiting.set(number, resolve)), ended]);
  const { url } = await reading(0);
  let asked = 0;
  return {
    origin: url,
    hasEnded: () => hasEnded,
    /** All that it has written to its outputs, but for what it notes of operations, calls and answers that are odd. */
    said: () => said,
    /** What it has noted since this was asked last. */
    takeNotes: () => noted.splice(0).join('\n'),
    /** Its stalls so far. Rejects when the process has ended. */
    async stalls(): Promise<number[]> {
      if (hasEnded) await ended;
      asked += 1;
      const answer = reading(asked);
      child.send(asked);
      return (await answer).stalls;
    },
    stop,
  };
}
