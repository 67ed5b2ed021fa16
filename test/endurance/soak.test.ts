import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startGatewayProcess } from '../support/gateway-process.ts';
import type { Readings } from '../support/probe.ts';
import { scaled } from '../support/scale.ts';
import { startFlakyUpstream } from '../support/upstreams/flaky.ts';
import { isIdle, memoryOptions, untilIdle } from './idle.ts';
import { runClients } from './soak-load.ts';

type Memory = Readings['memory'];

/** A minute in `npm run test:long`, half an hour in `npm run soak`. */
const seconds = scaled(6);
const SAMPLES = 60;
const isShort = seconds < 60;
/** Caches and compiled code grow in the first seconds. */
const MAX_GROWTH_BYTES = isShort ? 6_000_000 : 3_000_000;
const MAX_GROWTH_SOCKETS = isShort ? 128 : 16;
const timeout = (seconds * 2 + 240) * 1000;

const settings = {
  CACHE_TTL_MS: '1000',
  CACHE_STALE_IF_ERROR_MS: '1000',
  CACHE_MAX_BYTES: '262144',
  // A timer that is not cleared outlives the test.
  OPERATION_TIMEOUT_MS: '600000',
  UPSTREAM_TIMEOUT_MS: '600000',
  LOG_LEVEL: 'error',
};

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The median of the last quarter less that of the second: neither the start nor a single sample decides. */
function growth(values: readonly number[]): number {
  const quarter = Math.floor(values.length / 4);
  return median(values.slice(-quarter)) - median(values.slice(quarter, 2 * quarter));
}

it(`grows neither in memory nor in sockets during ${seconds} seconds of load`, { timeout }, async () => {
  const upstream = await startFlakyUpstream({ retryAfter: '1' });
  const { options, warnings } = memoryOptions(settings);
  const gateway = await startGatewayProcess(upstream.url, options);
  const atStart = await gateway.read('memory');
  const isAsAtStart = (reading: Memory) => isIdle(reading) && reading.sockets <= atStart.sockets;
  // Loads what is loaded on first use.
  await runClients(gateway.url, AbortSignal.timeout(Math.max(2_000, seconds * 50)));
  const before = await untilIdle(gateway, isAsAtStart);

  let isRunning = true;
  const running = runClients(gateway.url, AbortSignal.timeout(seconds * 1000)).finally(() => {
    isRunning = false;
  });
  const readings: Memory[] = [];
  while (isRunning) {
    readings.push(await gateway.read('memory'));
    await pause((seconds * 1000) / SAMPLES);
  }
  const { responses, aborted, faults } = await running;
  const after = await untilIdle(gateway, isAsAtStart);
  const heap = growth(readings.map(({ heapBytes }) => heapBytes));
  const sockets = growth(readings.map((reading) => reading.sockets));
  if (seconds > 60) console.log({ seconds, responses, aborted, heap, sockets, before, after });

  expect(faults).toEqual([]);
  for (const status of [200, 400, 403, 404, 405, 429]) expect(responses[status]).toBeGreaterThan(0);
  expect(aborted).toBeGreaterThan(0);
  expect(heap).toBeLessThan(MAX_GROWTH_BYTES);
  expect(sockets).toBeLessThan(MAX_GROWTH_SOCKETS);
  expect(isAsAtStart(after), JSON.stringify(after)).toBe(true);
  expect(after.listeners).toBe(before.listeners);
  await gateway.stop();
  // No error of the gateway, and no warning of Node about listeners that accumulate.
  expect(warnings).toEqual([]);
});
