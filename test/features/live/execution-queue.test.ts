import { expect, it, vi } from 'vitest';
import { createExecutionQueue } from '../../../src/features/live/execution-queue.ts';
import { advance, settle, useFakeTime } from './engine.ts';

const spend = (ms: number) => void vi.advanceTimersByTime(ms);

it.each([
  ['at once', spend],
  ['in a promise job', (ms: number) => void Promise.resolve().then(() => spend(ms))],
])('gives a key a quarter of the time, whose executions take theirs %s', async (_, take) => {
  useFakeTime();
  const enqueue = createExecutionQueue();
  const begun: number[] = [];
  for (let n = 0; n < 10; n += 1)
    enqueue(() => {
      begun.push(performance.now());
      take(5);
    });
  await settle();
  expect(begun).toHaveLength(1);
  await advance(1_000);
  expect(begun).toHaveLength(10);
  for (const [n, atMs] of begun.slice(1).entries()) expect(atMs - (begun[n] ?? 0)).toBeGreaterThanOrEqual(20);
});
