import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startGaugedGateway } from '../support/memory-gateway.ts';
import type { Reading } from '../support/memory-gauge.ts';
import { startForgetfulUpstream } from '../support/upstreams/flaky.ts';
import { runCallers } from './soak-load.ts';

/** `npm run soak` takes half an hour, CI a minute; between two edits a glance is enough. */
const seconds = Number(process.env.SOAK_SECONDS ?? 4);
const SAMPLES = 60;
const isGlance = seconds < 60;
/** What the caches hold, and compiled code, comes and goes; in the first seconds it comes. */
const MAX_GROWTH_BYTES = isGlance ? 6_000_000 : 3_000_000;
const MAX_GROWTH_SOCKETS = isGlance ? 128 : 16;
/** Idle connections are kept for some seconds. */
const PATIENCE_MS = 30_000;
const timeout = (seconds * 2 + 120) * 1000;

const settings = {
  CACHE_TTL_MS: '1000',
  CACHE_STALE_IF_ERROR_MS: '1000',
  CACHE_MAX_BYTES: '262144',
  DOCUMENT_CACHE_BYTES: '1048576',
  // A timer that is left behind is there for longer than anybody waits.
  OPERATION_TIMEOUT_MS: '600000',
  UPSTREAM_TIMEOUT_MS: '600000',
  LOG_LEVEL: 'error',
};

/** Nothing is at work, and no connection is left: what is open was so from the start. */
const isIdleAs = (atStart: Reading) => (reading: Reading) =>
  isIdle(reading) && reading.sockets <= atStart.sockets;

function isIdle({ resources }: Reading): boolean {
  return Object.keys(resources).every((name) => name === 'PipeWrap' || name === 'TCPServerWrap');
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** How much more there is in the last quarter than in the second: neither its start nor a single moment decides. */
function growth(values: readonly number[]): number {
  const quarter = Math.floor(values.length / 4);
  return median(values.slice(-quarter)) - median(values.slice(quarter, 2 * quarter));
}

it(`stays as it is for ${seconds} seconds of what callers do`, { timeout }, async () => {
  const upstream = await startForgetfulUpstream({ retryAfter: '1' });
  const gateway = await startGaugedGateway(upstream.url, settings);
  const isLeft = isIdleAs(await gateway.read());
  // What is loaded when it is first needed is there before.
  await runCallers(gateway.url, AbortSignal.timeout(Math.max(2_000, seconds * 50)));
  const before = await gateway.settled(isLeft, PATIENCE_MS);

  let isRunning = true;
  const running = runCallers(gateway.url, AbortSignal.timeout(seconds * 1000)).finally(() => {
    isRunning = false;
  });
  const readings: Reading[] = [];
  while (isRunning) {
    readings.push(await gateway.read());
    await pause((seconds * 1000) / SAMPLES);
  }
  const { answers, left, faults } = await running;
  const after = await gateway.settled(isLeft, PATIENCE_MS);
  const heap = growth(readings.map(({ heapBytes }) => heapBytes));
  const sockets = growth(readings.map((reading) => reading.sockets));
  if (seconds > 60) console.log({ seconds, answers, left, heap, sockets, before, after });

  expect(faults).toEqual([]);
  for (const status of [200, 400, 403, 404, 405, 429]) expect(answers[status]).toBeGreaterThan(0);
  expect(left).toBeGreaterThan(0);
  expect(heap).toBeLessThan(MAX_GROWTH_BYTES);
  expect(sockets).toBeLessThan(MAX_GROWTH_SOCKETS);
  expect(isLeft(after), JSON.stringify(after)).toBe(true);
  expect(after.listeners).toBe(before.listeners);
  // It has said nothing: no fault, and nothing of the system's about listeners that pile up.
  expect(await gateway.stop()).toBe('');
});
