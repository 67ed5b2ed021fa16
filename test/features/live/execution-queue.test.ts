import { expect, it, vi } from 'vitest';
import { createExecutionQueue } from '../../../src/features/live/execution-queue.ts';
import { advance, settle, useFakeTime } from './engine.ts';

/** A queue whose executions take time by the fake clock. Returns the key of each that was begun, and when. */
function start() {
  useFakeTime();
  const enqueue = createExecutionQueue();
  const begun: [string, number][] = [];
  const spend = (ms: number) => void vi.advanceTimersByTime(ms);
  const begin = (key: string) => void begun.push([key, performance.now()]);
  return {
    begun,
    execute: (key: string, ms: number) =>
      enqueue(key, () => {
        begin(key);
        spend(ms);
        return true;
      }),
    /** Begins at no cost, and goes on in a promise job. */
    executeLater: (key: string, ms: number) =>
      enqueue(key, () => {
        begin(key);
        void Promise.resolve().then(() => spend(ms));
        return false;
      }),
  };
}

it('takes the keys in turn, whatever the number of their executions', async () => {
  const { begun, execute } = start();
  for (let n = 0; n < 50; n += 1) execute('a', 2);
  for (const key of ['b', 'c', 'b']) execute(key, 2);
  await advance(1_000);
  expect(
    begun
      .slice(0, 6)
      .map(([key]) => key)
      .join(''),
  ).toMatch(/^(abc|acb)(ab|ba)/);
  expect(begun).toHaveLength(53);
});

it.each(['execute', 'executeLater'] as const)('%s: a key has a quarter of the time', async (how) => {
  const { begun, ...queue } = start();
  for (let n = 0; n < 10; n += 1) queue[how]('a', 5);
  await settle();
  expect(begun).toHaveLength(1);
  await advance(1_000);
  const starts = begun.map(([, atMs]) => atMs);
  expect(starts).toHaveLength(10);
  for (const [n, atMs] of starts.slice(1).entries())
    expect(atMs - (starts[n] ?? 0)).toBeGreaterThanOrEqual(20);
});

it('executes the short ones of a key together, and lets a key that was idle begin at once', async () => {
  const { begun, execute } = start();
  for (let n = 0; n < 20; n += 1) execute('a', 0.1);
  await settle();
  expect(begun.length).toBeGreaterThanOrEqual(10);
  expect(begun.length).toBeLessThan(20);
  execute('b', 1);
  await settle();
  expect(begun.at(-1)?.[0]).toBe('b');
  await advance(1_000);
  expect(begun).toHaveLength(21);
});
