import { setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Layer, type Send, UpstreamRequest, type UpstreamResponse } from '../../src/upstream/call.ts';
import type { UpstreamCall } from '../../src/upstream/caller.ts';
import {
  UpstreamCancelled,
  UpstreamInvalidResponse,
  UpstreamRejected,
  UpstreamTimeout,
  UpstreamUnavailable,
} from '../../src/upstream/errors.ts';
import { admission } from '../../src/upstream/guards/admission.ts';
import { type Breaker, type BreakerOptions, createBreaker } from '../../src/upstream/guards/breaker.ts';
import { FairLimiter } from '../../src/upstream/guards/limiter.ts';
import { createRateLimitGate } from '../../src/upstream/guards/rate-limit.ts';
import { SiteTarget } from '../../src/upstream/resources.ts';
import { createGate } from '../support/gate.ts';
import { responseOf, responseTo } from '../support/response.ts';

type Outcome = number | Error;

/** The admission of calls by this breaker alone. */
function admissionBy(breaker: Breaker, connections = 100) {
  return admission({ gate: createRateLimitGate(), breaker, limiter: new FairLimiter(connections) });
}

/** One call that passes the layer. */
function runThrough(
  layer: Layer,
  call: () => Promise<UpstreamResponse>,
  { isSent = true, keyHash = '', report = (_: UpstreamCall) => {} } = {},
) {
  const caller = { apiKey: '', keyHash, signal: new AbortController().signal, report };
  const send: Send = (request, done) => {
    request.isSent = isSent;
    const end = (outcome: UpstreamResponse | Error) => {
      done(outcome);
      request.connection?.release();
    };
    call().then(end, end);
  };
  return responseTo(layer(send), new UpstreamRequest(caller, new SiteTarget('SITE-1', [])));
}

/** A breaker whose clock the test moves. */
function start(options: Partial<BreakerOptions> = {}) {
  let nowMs = 1_000_000;
  const breaker = createBreaker({
    failurePercent: 80,
    probeMs: 100,
    cancelledAsTimeoutMs: 5_000,
    maxProbes: 3,
    now: () => nowMs,
    ...options,
  });
  const layer = admissionBy(breaker);
  const run = (call: () => Promise<UpstreamResponse>, keyHash = '') => runThrough(layer, call, { keyHash });
  const made: Outcome[] = [];
  /** One call with this outcome; resolves with what the caller gets. */
  const meet = (outcome: Outcome, keyHash?: string) =>
    run(async () => {
      made.push(outcome);
      return toResponse(outcome);
    }, keyHash).catch((error: unknown) => error);
  /** One call that ends when the test ends it. */
  const begin = () => {
    const gate = createGate<Outcome>();
    let isMade = false;
    const call = async () => {
      isMade = true;
      return toResponse(await gate.promise);
    };
    const result = run(call).catch((error: unknown) => error);
    return {
      isMade: () => isMade,
      result,
      async end(outcome: Outcome) {
        gate.open(outcome);
        await result;
      },
    };
  };
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { breaker, made, meet, begin, advance };
}

function toResponse(outcome: Outcome): UpstreamResponse {
  if (outcome instanceof Error) throw outcome;
  return responseOf(outcome);
}

/** The same, and open. */
async function startOpen(options: Partial<BreakerOptions> = {}) {
  const stage = start(options);
  for (let n = 0; n < 10; n += 1) await stage.meet(503);
  expect(stage.breaker.isOpen).toBe(true);
  stage.made.length = 0;
  return stage;
}

const outages: [string, Outcome][] = [
  ['500', 500],
  ['502', 502],
  ['599', 599],
  ['no connection', new UpstreamUnavailable(null)],
  ['a timeout', new UpstreamTimeout(1)],
];
const healthy: [string, Outcome][] = [
  ...[200, 204, 302, 400, 401, 403, 404, 429, 499].map((status): [string, Outcome] => [`${status}`, status]),
  ['an invalid response', new UpstreamInvalidResponse('it is not JSON')],
];

it('opens at the failure with which more than the percentage of the latest 50 calls, and of at least 10, have failed', async () => {
  const outcome = fc.oneof(
    { arbitrary: fc.constantFrom(...outages), weight: 6 },
    { arbitrary: fc.constantFrom(...healthy), weight: 1 },
    { arbitrary: fc.constant<[string, Outcome]>(['left', new UpstreamCancelled()]), weight: 1 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(25, 50, 80, 100),
      fc.array(outcome, { minLength: 5, maxLength: 120 }),
      async (failurePercent, outcomes) => {
        const { breaker, meet } = start({ failurePercent });
        const latest: boolean[] = [];
        for (const [name, each] of outcomes) {
          await meet(each);
          const isOutage = outages.some(([outage]) => outage === name);
          if (name !== 'left') latest.push(isOutage);
          if (latest.length > 50) latest.shift();
          const failed = latest.filter((isFailure) => isFailure).length;
          const isTooMany =
            failurePercent === 100 ? failed === latest.length : failed * 100 > failurePercent * latest.length;
          expect(breaker.isOpen).toBe(isOutage && latest.length >= 10 && isTooMany);
          if (breaker.isOpen) return;
        }
      },
    ),
    { numRuns: 300 },
  );
});

it('forgets all but the latest 50 calls', async () => {
  const { breaker, meet } = start();
  for (let n = 0; n < 100; n += 1) await meet(200);
  for (let n = 0; n < 40; n += 1) await meet(503);
  expect(breaker.isOpen).toBe(false);
  await meet(503);
  expect(breaker.isOpen).toBe(true);
});

it('rejects the calls of one key alone where all failures are of it, until those of others fail too', async () => {
  const { breaker, made, meet, advance } = start();
  await meet(200, 'failing');
  for (let n = 0; n < 20; n += 1) await meet(503, 'failing');
  expect(made).toHaveLength(10);
  for (const status of [503, ...Array(20).fill(200)])
    expect(await meet(status, 'other')).toMatchObject({ status });
  expect(breaker.isRejecting('failing')).toBe(true);
  advance(100);
  expect(breaker.isRejecting('failing')).toBe(false);
  for (let n = 0; n < 50; n += 1) await meet(503, 'other');
  expect(['failing', 'other', 'third'].map(breaker.isRejecting)).toEqual([true, true, true]);
  advance(100);
  await meet(200, 'third');
  expect(breaker.isOpen).toBe(false);
});

it('rejects the calls of every key where those of two have failed', async () => {
  const { breaker, meet } = start();
  for (let n = 0; n < 10; n += 1) await meet(503, n < 9 ? 'failing' : 'other');
  expect(['failing', 'other', 'third'].map(breaker.isRejecting)).toEqual([true, true, true]);
});

it('does not count calls that were not sent', async () => {
  const { breaker } = start();
  const fail = () => Promise.reject(new UpstreamUnavailable(null));
  for (let n = 0; n < 10; n += 1) {
    await expect(runThrough(admissionBy(breaker), fail, { isSent: false })).rejects.toThrow();
  }
  expect(breaker.isOpen).toBe(false);
});

it('rejects requests while it is open, those that have waited for a connection too, and reports them', async () => {
  const layer = admissionBy(start().breaker, 1);
  const reported: unknown[] = [];
  const report = ({ status, source }: UpstreamCall) => reported.push({ status, source });
  const fail = async () => responseOf(503);
  const calls = Array.from({ length: 12 }, () => runThrough(layer, fail, { report }));
  // The tenth failure opens it, while two wait.
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...Array(10).fill('fulfilled'),
    ...Array(2).fill('rejected'),
  ]);
  await expect(runThrough(layer, fail, { report })).rejects.toBeInstanceOf(UpstreamRejected);
  expect(reported).toEqual(Array(3).fill({ status: null, source: 'circuit-open' }));
});

it('rejects every call while it is open but one probe in each interval', async () => {
  const { breaker, made, meet, advance } = await startOpen();
  for (let interval = 1; interval <= 5; interval += 1) {
    advance(99);
    expect(breaker.isRejecting('')).toBe(true);
    expect(await meet(200)).toBeInstanceOf(UpstreamRejected);
    expect(made).toHaveLength(interval - 1);
    advance(1);
    expect(breaker.isRejecting('')).toBe(false);
    for (let n = 0; n < 3; n += 1) await meet(503);
    expect(made).toHaveLength(interval);
  }
  advance(1_000);
  for (let n = 0; n < 5; n += 1) await meet(503);
  expect(made, 'saves up none').toHaveLength(6);
  expect(breaker.isOpen).toBe(true);
});

it('closes at the first probe that succeeds, and forgets the failures of before', async () => {
  const { breaker, made, meet, advance } = await startOpen();
  advance(100);
  await meet(200);
  expect(breaker.isOpen).toBe(false);
  for (let n = 0; n < 8; n += 1) await meet(503);
  expect(made).toHaveLength(9);
  expect(breaker.isOpen).toBe(false);
  await meet(503);
  expect(breaker.isOpen).toBe(true);
});

it('admits a probe while an earlier one hangs, up to the limit', async () => {
  const { breaker, begin, advance } = await startOpen({ maxProbes: 2 });
  const hanging = [1, 2, 3].map(() => {
    advance(100);
    return begin();
  });
  await immediate();
  expect(hanging.map(({ isMade }) => isMade())).toEqual([true, true, false]);
  expect(await hanging[2]?.result).toBeInstanceOf(UpstreamRejected);
  await hanging[0]?.end(new UpstreamTimeout(1));
  const next = begin();
  expect(next.isMade()).toBe(true);
  await hanging[1]?.end(200);
  expect(breaker.isOpen).toBe(false);
  await next.end(200);
});

it('admits the next probe after one that was cancelled', async () => {
  const { breaker, meet, begin, advance } = await startOpen({ maxProbes: 1 });
  advance(100);
  const leaving = begin();
  advance(100);
  await leaving.end(new UpstreamCancelled());
  expect(breaker.isOpen).toBe(true);
  await meet(200);
  expect(breaker.isOpen).toBe(false);
});

it('ignores a success of a call from before it opened', async () => {
  const { breaker, meet, begin } = start();
  const slow = begin();
  for (let n = 0; n < 10; n += 1) await meet(503);
  await slow.end(200);
  expect(breaker.isOpen).toBe(true);
});

it('ignores failures of calls from before it closed', async () => {
  const { breaker, meet, begin, advance } = start({ maxProbes: 64 });
  const lost = Array.from({ length: 20 }, () => begin());
  for (let n = 0; n < 10; n += 1) await meet(503);
  for (let n = 0; n < 20; n += 1) {
    advance(100);
    lost.push(begin());
  }
  advance(100);
  await meet(200);
  expect(breaker.isOpen).toBe(false);
  for (const call of lost) await call.end(new UpstreamTimeout(1));
  expect(breaker.isOpen).toBe(false);
});

it.each([
  [4_999, false],
  [5_000, true],
])('counts calls that were cancelled after %i ms as failures: %s', async (waitedMs, isOpen) => {
  const { breaker, begin, advance } = start();
  const calls = Array.from({ length: 10 }, begin);
  advance(waitedMs);
  for (const call of calls) await call.end(new UpstreamCancelled());
  expect(breaker.isOpen).toBe(isOpen);
});
