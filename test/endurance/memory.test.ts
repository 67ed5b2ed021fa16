import { expect, it } from 'vitest';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { scaled } from '../support/scale.ts';
import { startFlakyUpstream } from '../support/upstreams/flaky.ts';
import { isIdle, memoryOptions, untilIdle } from './idle.ts';
import { runLoad } from './memory-load.ts';

const requests = scaled(600);
const warmUp = Math.max(4_000, requests / 10);
const rounds = 10;
const timeout = 300_000 + requests * 20;

/** Allowed after a million requests; in a shorter run, a small leak per request adds up to as much. */
const MAX_GROWTH_BYTES = 1_000_000;

const settings = {
  CACHE_TTL_MS: '1000',
  CACHE_STALE_IF_ERROR_MS: '1000',
  CACHE_MAX_BYTES: '262144',
  // A timer that is not cleared outlives the test.
  OPERATION_TIMEOUT_MS: '600000',
  UPSTREAM_TIMEOUT_MS: '600000',
};

it('uses no more memory after many requests than before them', { timeout }, async () => {
  const upstream = await startFlakyUpstream();
  const { options, warnings } = memoryOptions(settings);
  const gateway = await startGatewayProcess(upstream.url, options);

  await runLoad(gateway.url, 0, warmUp);
  const before = await untilIdle(gateway);
  const heaps: number[] = [];
  let aborted = 0;
  for (let round = 0; round < rounds; round += 1) {
    const share = requests / rounds;
    aborted += (await runLoad(gateway.url, warmUp + round * share, share)).aborted;
    heaps.push((await gateway.read('memory')).heapBytes - before.heapBytes);
  }
  const after = await untilIdle(gateway);
  const growth = after.heapBytes - before.heapBytes;
  if (requests > 10_000) console.log({ requests, aborted, growth, heaps, before, after });

  expect(upstream.requestCount()).toBeGreaterThan(requests);
  expect(aborted).toBeGreaterThan(requests / 50);
  expect(upstream.cancelledCount()).toBeGreaterThan(requests / 100);
  expect(isIdle(after), JSON.stringify(after.resources)).toBe(true);
  expect(after.resources).toEqual(before.resources);
  expect(after.listeners).toBe(before.listeners);
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  await gateway.stop();
  // Node warns where listeners accumulate.
  expect(warnings).toEqual([]);
});
