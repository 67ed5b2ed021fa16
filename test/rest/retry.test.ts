import { setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Aborter, type Signal } from '../../src/rest/abort.ts';
import { type Layer, UpstreamRequest, type UpstreamResponse } from '../../src/rest/call.ts';
import {
  UpstreamBudgetExceeded,
  UpstreamCancelled,
  UpstreamInvalidResponse,
  UpstreamRejected,
  UpstreamTimeout,
  UpstreamUnavailable,
} from '../../src/rest/errors.ts';
import { retry } from '../../src/rest/guards/retry.ts';
import { healthTarget, SiteTarget } from '../../src/rest/resources.ts';
import { responseOf, responseTo, sendBy } from '../support/response.ts';

type Outcome = UpstreamResponse | Error;

const responseWith = (status: number, fields?: Record<string, string>) =>
  responseOf(status, `${status}`, fields);
const lost = new UpstreamUnavailable(null);

/** Calls that end so, one after the other, and for each whether it was a retry. */
function callsOf(...outcomes: Outcome[]) {
  const made: boolean[] = [];
  const call = async (isRetry: boolean) => {
    const outcome = outcomes[made.length] ?? new Error('one call too many');
    made.push(isRetry);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  return { made, call };
}

const atOnce = (percent = 100) => retry(60_000, percent, () => 0);

/** The outcome of a call that passes the layer. */
function run(
  layer: Layer,
  call: (isRetry: boolean) => Promise<UpstreamResponse>,
  signal: Signal = new AbortController().signal,
  target = new SiteTarget('SITE-1', []) as UpstreamRequest['target'],
  keyHash = '',
) {
  const aborter = new Aborter();
  const abort = () => aborter.abort(() => signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  const request = new UpstreamRequest({ apiKey: '', keyHash, signal }, target, aborter);
  return responseTo(layer(sendBy(({ isRepeated }) => call(isRepeated))), request);
}

it.each([200, 304, 401, 404, 429, 500, 501])('does not retry a %i', async (status) => {
  const { made, call } = callsOf(responseWith(status));
  expect(await run(atOnce(), call)).toMatchObject({ status });
  expect(made).toEqual([false]);
});

it.each<[string, Error]>([
  ['an invalid response', new UpstreamInvalidResponse('it is not JSON')],
  ['the deadline', new UpstreamTimeout(1)],
  ['a cancelled call', new UpstreamCancelled()],
  ['a rejection', new UpstreamRejected()],
  ['an exceeded budget', new UpstreamBudgetExceeded(2, 1)],
  ['another error', new TypeError('oops')],
])('does not retry after %s', async (_, error) => {
  const { made, call } = callsOf(error);
  await expect(run(atOnce(), call)).rejects.toBe(error);
  expect(made).toEqual([false]);
});

it.each([408, 425, 502, 503, 504])('retries a %i', async (status) => {
  const { made, call } = callsOf(responseWith(status), responseWith(200));
  expect(await run(atOnce(), call)).toMatchObject({ status: 200 });
  expect(made).toEqual([false, true]);
});

it.each(['0', 'Mon, 02 Mar 2026 14:05:30 GMT'])(
  'does not retry a response with Retry-After: %j',
  async (field) => {
    const { made, call } = callsOf(responseWith(503, { 'retry-after': field }));
    expect(await run(atOnce(), call)).toMatchObject({ status: 503 });
    expect(made).toEqual([false]);
  },
);

it.each<[string, Outcome, Outcome]>([
  ['a second 503', lost, responseWith(503)],
  ['a lost connection', responseWith(503), new UpstreamUnavailable(null)],
  ['an invalid response', responseWith(503), new UpstreamInvalidResponse('it is incomplete')],
])('reports the outcome of the retry, and retries no further: %s', async (_, first, second) => {
  const { made, call } = callsOf(first, second);
  const outcome = await run(atOnce(), call).catch((error: unknown) => error);
  expect(outcome).toBe(second);
  expect(made).toEqual([false, true]);
});

it.each<[string, Outcome, Error]>([
  ['503, and a rejection', responseWith(503), new UpstreamRejected()],
  ['503, and a timeout', responseWith(503), new UpstreamTimeout(1)],
])('reports the first outcome where the retry is rejected or times out: %s', async (_, first, second) => {
  const { made, call } = callsOf(first, second);
  const outcome = await run(atOnce(), call).catch((error: unknown) => error);
  expect(outcome).toBe(first);
  expect(made).toEqual([false, true]);
});

it('never retries at 0 percent', async () => {
  const layer = atOnce(0);
  for (let n = 0; n < 50; n += 1) {
    const { made, call } = callsOf(responseWith(503));
    expect(await run(layer, call)).toMatchObject({ status: 503 });
    expect(made).toEqual([false]);
  }
});

/** Whether a call with this status, twice, is retried. */
async function isRetried(layer: Layer, status: number, keyHash = ''): Promise<boolean> {
  const { made, call } = callsOf(responseWith(status), responseWith(status));
  await run(layer, call, undefined, undefined, keyHash);
  return made.length > 1;
}

/** How many of so many calls, one after the other, are retried. */
async function repeatsOf(layer: Layer, calls: number, status: number, keyHash = '') {
  let repeats = 0;
  for (let n = 0; n < calls; n += 1) repeats += Number(await isRetried(layer, status, keyHash));
  return repeats;
}

it('retries the first calls on credit, and the percentage of all after', async () => {
  const layer = atOnce(20);
  expect(await repeatsOf(layer, 10, 503)).toBe(10);
  const repeats = await repeatsOf(layer, 500, 503);
  expect(repeats).toBeGreaterThanOrEqual(100);
  expect(repeats).toBeLessThanOrEqual(102);
});

it('keeps the retries of a key from another whose calls fail', async () => {
  const layer = atOnce(20);
  await repeatsOf(layer, 1_000, 503, 'failing');
  expect(await repeatsOf(layer, 10, 503, 'other')).toBe(10);
});

it('retries at most the credit and the percentage of the calls, whatever their outcomes', async () => {
  const call = fc.record({
    status: fc.constantFrom(200, 404, 502, 503, 504),
    keyHash: fc.constantFrom(...'aaaaaabcdefghij'),
  });
  const rounds = fc.array(fc.array(call, { maxLength: 60 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 100 }), rounds, async (percent, all) => {
      const layer = atOnce(percent);
      const counts = new Map<string, { calls: number; repeats: number }>();
      const count = (name: string, isRepeated: boolean) => {
        const { calls, repeats } = counts.get(name) ?? { calls: 0, repeats: 0 };
        counts.set(name, { calls: calls + 1, repeats: repeats + Number(isRepeated) });
      };
      // Those of one round at once, the rounds one after the other.
      for (const round of all) {
        await Promise.all(
          round.map(async ({ status, keyHash }) => {
            const isRepeated = await isRetried(layer, status, keyHash);
            count(keyHash, isRepeated);
            count('all', isRepeated);
          }),
        );
        for (const [name, { calls, repeats }] of counts) {
          const credit = name === 'all' ? 50 : 10;
          expect(repeats).toBeLessThanOrEqual((percent > 0 ? credit : 0) + (calls * percent) / 100);
        }
      }
    }),
    { numRuns: 200 },
  );
});

/** Much longer than a test lasts, so that only the abort can end it. */
const late = retry(60_000, 100, () => 1_000);

it('fails at once with the reason when the call is aborted before the retry', async () => {
  const { made, call } = callsOf(responseWith(503), responseWith(200));
  const aborter = new AbortController();
  let outcome: unknown;
  const running = run(late, call, aborter.signal);
  running.catch((error: unknown) => (outcome = error));
  await immediate();
  expect(made).toEqual([false]);
  const reason = new UpstreamCancelled();
  aborter.abort(reason);
  await immediate();
  expect(outcome).toBe(reason);
  expect(made).toEqual([false]);
});

it('reports the first outcome at once when the deadline comes before the retry', async () => {
  const { made, call } = callsOf(responseWith(503), responseWith(200));
  const deadline = new AbortController();
  const running = run(late, call, deadline.signal);
  await immediate();
  deadline.abort(new UpstreamTimeout(1));
  expect(await running).toMatchObject({ status: 503 });
  expect(made).toEqual([false]);
});

it('does not retry a health call', async () => {
  const { made, call } = callsOf(responseWith(503));
  expect(await run(atOnce(), call, undefined, healthTarget)).toMatchObject({ status: 503 });
  expect(made).toEqual([false]);
});
