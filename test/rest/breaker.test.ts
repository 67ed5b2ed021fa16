import fc from 'fast-check';
import { expect, it } from 'vitest';
import { coreLimits } from '../../src/config/core.ts';
import { type Send, UpstreamRequest, type UpstreamResponse } from '../../src/rest/call.ts';
import { apiKeyOf, type UpstreamCall } from '../../src/rest/caller.ts';
import {
  UpstreamCancelled,
  UpstreamInvalidResponse,
  UpstreamRejected,
  UpstreamTimeout,
  UpstreamUnavailable,
} from '../../src/rest/errors.ts';
import { admission, RateLimitGate } from '../../src/rest/guards/admission.ts';
import { type Breaker, type BreakerOptions, createBreaker } from '../../src/rest/guards/breaker.ts';
import { FairQueue } from '../../src/rest/guards/fair-queue.ts';
import { SiteTarget } from '../../src/rest/targets.ts';
import { responseOf, responseTo } from '../support/response.ts';

type Outcome = number | Error;

const PROBE_MS = 250;

const isOpen = ({ gauge }: Breaker) => gauge.read() === 1;

/** A breaker whose clock the test moves, and the calls that pass it. */
function start(options: Partial<BreakerOptions> = {}) {
  let nowMs = 1_000_000;
  const breaker = createBreaker({
    ...coreLimits,
    cancelledAsTimeoutMs: 5_000,
    maxProbes: 64,
    now: () => nowMs,
    ...options,
  });
  /** Begins a call, and returns what ends it; null: it is rejected. */
  const begin = (key: string, resource: string) =>
    breaker.isRejecting(apiKeyOf(key)) ? null : breaker.acquire(apiKeyOf(key), resource);
  /** Makes one call; false: it is rejected. */
  const call = (key: string, resource: string, outcome: Outcome): boolean => {
    const end = begin(key, resource);
    end?.(outcome);
    return end !== null;
  };
  /** Makes such calls, each for a resource of its own, and returns how many were not rejected. */
  const repeat = (times: number, key: string, outcome: Outcome): number =>
    Array.from({ length: times }, (_, n) => call(key, `${n}`, outcome)).filter((isMade) => isMade).length;
  const advance = (ms: number) => {
    nowMs += ms;
  };
  return { breaker, begin, call, repeat, advance };
}

/** The same, with the circuit of all keys open: five keys have failed, with two resources each. */
function startOpen(options: Partial<BreakerOptions> = {}) {
  const stage = start(options);
  for (const key of ['a', 'b', 'c', 'd', 'e']) stage.repeat(2, key, 503);
  expect(stage.begin('new', 'one')).toBeNull();
  return stage;
}

it.each<[Outcome, boolean]>([
  ...[500, 502, 599].map((status): [number, boolean] => [status, true]),
  [new UpstreamUnavailable(null), true],
  [new UpstreamTimeout(1), true],
  ...[200, 204, 302, 400, 401, 403, 404, 429, 499].map((status): [number, boolean] => [status, false]),
  [new UpstreamInvalidResponse('it is not JSON'), false],
  [new UpstreamCancelled(), false],
])('counts %s as a failure: %s', (outcome, isFailure) => {
  const { breaker, repeat } = start();
  expect(repeat(20, 'key', outcome)).toBe(isFailure ? 10 : 20);
  expect(isOpen(breaker)).toBe(isFailure);
});

it.each([
  [4_999, false],
  [5_000, true],
])('counts calls that were cancelled after %i ms as failures: %s', (waitedMs, isFailure) => {
  const { breaker, begin, advance } = start();
  const ends = Array.from({ length: 10 }, (_, n) => begin('key', `${n}`));
  advance(waitedMs);
  for (const end of ends) end?.(new UpstreamCancelled());
  expect(isOpen(breaker)).toBe(isFailure);
});

/** A partner: how many of its resources fail, and how many do not. */
const partner = fc.record({ bad: fc.nat(5), good: fc.integer({ min: 3, max: 6 }) });
const step = fc.record({ key: fc.nat(99), resource: fc.nat(99), ms: fc.constantFrom(0, 1, 30, 300) });

it('rejects good resources in outages only, opens in one, and is closed a second after it', () => {
  fc.assert(
    fc.property(
      fc.array(partner, { minLength: 1, maxLength: 12 }),
      fc.array(step, { maxLength: 300 }),
      (partners, steps) => {
        const { call, advance } = start();
        const allBad = partners.reduce((sum, { bad }) => sum + bad, 0);
        const succeeded = new Set<number>();
        for (const { key, resource, ms } of steps) {
          const index = key % partners.length;
          const { bad, good } = partners[index] ?? { bad: 0, good: 3 };
          const isBad = resource % (bad + good) < bad;
          const isMade = call(`${index}`, `${resource % (bad + good)}`, isBad ? 503 : 200);
          if (!isBad && allBad < 10 && bad < 3) expect(isMade, 'few resources fail').toBe(true);
          if (succeeded.has(index)) expect(isMade, 'all calls of the key succeed').toBe(true);
          if (isMade && bad === 0) succeeded.add(index);
          advance(ms);
        }

        /** Calls every resource of every partner, or the good ones alone, and returns which calls were made. */
        const callEach = (outcome: Outcome) =>
          partners.flatMap(({ bad, good }, index) =>
            Array.from({ length: bad + good }, (_, n) => n)
              .slice(outcome === 200 ? bad : 0)
              .map((n) => call(`${index}`, `${n}`, outcome)),
          );
        let made = 0;
        for (let n = 0; n < 20; n += 1) made += callEach(503).filter((isMade) => isMade).length;
        expect(made).toBeLessThanOrEqual(60 * partners.length);
        expect(callEach(503)).not.toContain(true);

        for (let n = 0; n < 3; n += 1) {
          advance(PROBE_MS);
          callEach(200);
        }
        advance(PROBE_MS);
        expect(callEach(200)).not.toContain(false);
      },
    ),
    { numRuns: 150 },
  );
});

it('sends one probe in each interval, of one key every third', () => {
  const { begin, advance } = startOpen();
  const probes: string[] = [];
  const ask = (key: string) => {
    const end = begin(key, 'one');
    if (end) probes.push(key);
    end?.(503);
  };
  for (let n = 0; n < 6; n += 1) {
    advance(PROBE_MS - 1);
    ask('c');
    advance(1);
    for (const key of ['a', 'a', 'b', 'c', 'a']) ask(key);
  }
  expect(probes).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

it('admits a probe while an earlier one hangs, up to the limit', () => {
  const { breaker, begin, repeat, advance } = startOpen({ maxProbes: 2 });
  const [first, second, third] = ['a', 'b', 'c'].map((key) => {
    advance(PROBE_MS);
    return begin(key, 'one');
  });
  expect(third).toBeNull();
  first?.(new UpstreamCancelled());
  expect(begin('c', 'one')).not.toBeNull();
  expect(isOpen(breaker)).toBe(true);
  second?.(200);
  expect(isOpen(breaker)).toBe(false);
  expect(repeat(20, 'a', 503), 'its failures of before the outage do not count').toBe(10);
});

it('ignores calls of before it opened or closed', () => {
  const { breaker, begin, repeat, advance } = start();
  const [slow, ...lost] = Array.from({ length: 20 }, (_, n) => begin('key', `${n}`));
  repeat(10, 'key', 503);
  slow?.(200);
  expect(isOpen(breaker)).toBe(true);
  advance(PROBE_MS);
  expect(repeat(2, 'key', 200)).toBe(2);
  for (const end of lost) end?.(new UpstreamTimeout(1));
  expect(isOpen(breaker)).toBe(false);
});

it('reports no open circuit of a key that has left', () => {
  const { breaker, repeat, advance } = start();
  repeat(20, 'key', 503);
  expect(isOpen(breaker)).toBe(true);
  advance(60_000 + PROBE_MS);
  expect(isOpen(breaker)).toBe(false);
});

/** The admission of calls by a breaker alone, whose calls have this outcome in the next turn. */
function admissionOf(outcome: UpstreamResponse | Error, { connections = 100, isSent = true } = {}) {
  const { breaker } = start();
  const queue = new FairQueue(connections, 1024);
  const send: Send = (request, done) => {
    request.isSent = isSent;
    setImmediate(() => {
      done(outcome);
      request.permit?.release();
    });
  };
  const admitted = admission(new RateLimitGate(), breaker, queue)(send);
  let count = 0;
  const run = (report = (_: UpstreamCall) => {}) => {
    count += 1;
    const caller = { key: apiKeyOf(''), signal: new AbortController().signal, report };
    return responseTo(admitted, new UpstreamRequest(caller, new SiteTarget(`SITE-${count}`, [])));
  };
  return { breaker, run };
}

it('does not count calls that were not sent', async () => {
  const { breaker, run } = admissionOf(new UpstreamUnavailable(null), { isSent: false });
  for (let n = 0; n < 10; n += 1) await expect(run()).rejects.toThrow();
  expect(isOpen(breaker)).toBe(false);
});

it('rejects requests while it is open, those that have waited for a connection too, and reports them', async () => {
  const { run } = admissionOf(responseOf(503), { connections: 1 });
  const reported: unknown[] = [];
  const report = ({ status, source }: UpstreamCall) => reported.push({ status, source });
  // The tenth failure opens it, while two wait.
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => run(report)));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(2);
  await expect(run(report)).rejects.toBeInstanceOf(UpstreamRejected);
  expect(reported).toEqual(Array(3).fill({ status: null, source: 'circuit-open' }));
});
