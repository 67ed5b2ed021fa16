import { expect, it } from 'vitest';
import { createBackoff } from '../../src/cluster/backoff.ts';

it('waits longer after each consecutive early exit, up to 30 s', () => {
  const waitAfter = createBackoff();
  expect(Array.from({ length: 10 }, () => waitAfter(500))).toEqual([
    0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
});

it('restarts at once after a long uptime', () => {
  const waitAfter = createBackoff();
  expect([500, 500, 10_000, 500, 500].map(waitAfter)).toEqual([0, 250, 0, 0, 250]);
});
