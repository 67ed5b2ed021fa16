import { expect, it } from 'vitest';
import { startGaugedGateway } from '../support/memory-gateway.ts';
import type { Reading } from '../support/memory-gauge.ts';
import { startForgetfulUpstream } from '../support/upstreams/flaky.ts';
import { runLoad } from './memory-load.ts';

/** `MEMORY_REQUESTS=1000000` shows what a test run between two edits has no time for. */
const requests = Number(process.env.MEMORY_REQUESTS ?? 6_000);
const warmUp = Math.max(4_000, requests / 10);
const rounds = 10;
const timeout = 120_000 + requests * 10;

/** What a million requests may leave; in a short run it is what a small leak of each comes to. */
const MAX_GROWTH_BYTES = 1_000_000;
/** Idle connections are kept for some seconds. */
const PATIENCE_MS = 30_000;

const settings = {
  CACHE_TTL_MS: '1000',
  CACHE_STALE_IF_ERROR_MS: '1000',
  CACHE_MAX_BYTES: '262144',
  // A timer that is left behind is there for longer than anybody waits.
  OPERATION_TIMEOUT_MS: '600000',
  UPSTREAM_TIMEOUT_MS: '600000',
};

/** No connection, timer or request of the system is left: what stays is what the process listens on. */
function isIdle({ resources }: Reading): boolean {
  return Object.keys(resources).every((name) => name === 'PipeWrap' || name === 'TCPServerWrap');
}

it('holds no more after many requests than before them', { timeout }, async () => {
  const upstream = await startForgetfulUpstream();
  const gateway = await startGaugedGateway(upstream.url, settings);
  const rest = () => gateway.settled(isIdle, PATIENCE_MS);

  await runLoad(gateway.url, 0, warmUp);
  const before = await rest();
  const heaps: number[] = [];
  let left = 0;
  for (let round = 0; round < rounds; round += 1) {
    const share = requests / rounds;
    left += (await runLoad(gateway.url, warmUp + round * share, share)).left;
    heaps.push((await gateway.read()).heapBytes - before.heapBytes);
  }
  const after = await rest();
  const growth = after.heapBytes - before.heapBytes;
  if (process.env.MEMORY_REQUESTS) console.log({ requests, left, growth, heaps, before, after });

  expect(upstream.asked()).toBeGreaterThan(requests);
  expect(left).toBeGreaterThan(requests / 50);
  expect(upstream.abandoned()).toBeGreaterThan(requests / 100);
  expect(isIdle(after), JSON.stringify(after.resources)).toBe(true);
  expect(after.resources).toEqual(before.resources);
  expect(after.listeners).toBe(before.listeners);
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  // The process says so where listeners pile up.
  expect(await gateway.stop()).toBe('');
});
