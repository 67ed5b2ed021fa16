import { setImmediate as immediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Aborter, type Signal } from '../../src/rest/abort.ts';
import { type Layer, UpstreamRequest, type UpstreamResponse } from '../../src/rest/call.ts';
import { apiKeyOf } from '../../src/rest/caller.ts';
import {
  UpstreamBudgetExceeded,
  UpstreamCancelled,
  UpstreamInvalidResponse,
  UpstreamRejected,
  UpstreamTimeout,
  UpstreamUnavailable,
} from '../../src/rest/errors.ts';
import { retry } from '../../src/rest/guards/retry.ts';
import { healthTarget, SiteTarget } from '../../src/rest/targets.ts';
import { responseOf, responseTo, sendBy } from '../support/response.ts';

type Outcome = UpstreamResponse | Error;

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
const site = new SiteTarget('SITE-1', []) as UpstreamRequest['target'];

/** The outcome of a call that passes the layer. */
function run(
  layer: Layer,
  call: (isRetry: boolean) => Promise<UpstreamResponse>,
  { signal = new AbortController().signal as Signal, target = site, key = '' } = {},
): Promise<Outcome> {
  const aborter = new Aborter();
  const abort = () => aborter.abort(() => signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  const request = new UpstreamRequest({ key: apiKeyOf(key), signal }, target, aborter);
  const response = responseTo(layer(sendBy(({ attempt }) => call(attempt === 2))), request);
  return response.catch((error: Error) => error);
}

it.each<Outcome>([
  ...[200, 304, 401, 404, 429, 500, 501].map((status) => responseOf(status)),
  responseOf(503, '', { 'retry-after': '0' }),
  responseOf(503, '', { 'retry-after': 'Mon, 02 Mar 2026 14:05:30 GMT' }),
  new UpstreamInvalidResponse('it is not JSON'),
  new UpstreamTimeout(1),
  new UpstreamCancelled(),
  new UpstreamRejected(),
  new UpstreamBudgetExceeded(2, 1),
  new TypeError('oops'),
])('does not retry after %o', async (outcome) => {
  const { made, call } = callsOf(outcome);
  expect(await run(atOnce(), call)).toBe(outcome);
  expect(made).toEqual([false]);
});

const lost = new UpstreamUnavailable(null);

it.each<[string, Outcome, Outcome, 'first' | 'second']>([
  ...[408, 425, 502, 503, 504].map((status): [string, Outcome, Outcome, 'second'] => [
    `200 after a ${status}`,
    responseOf(status),
    responseOf(200),
    'second',
  ]),
  ['a second 503', lost, responseOf(503), 'second'],
  ['a lost connection', responseOf(503), lost, 'second'],
  ['an invalid response', responseOf(503), new UpstreamInvalidResponse('it is incomplete'), 'second'],
  ['a rejection', responseOf(503), new UpstreamRejected(), 'first'],
  ['a timeout', responseOf(503), new UpstreamTimeout(1), 'first'],
])(
  'retries once, and reports, where the retry ends with %s, the right one',
  async (_, first, second, which) => {
    const { made, call } = callsOf(first, second);
    expect(await run(atOnce(), call)).toBe(which === 'first' ? first : second);
    expect(made).toEqual([false, true]);
  },
);

/** Whether a call with this status, twice, is retried. */
async function isRetried(layer: Layer, status: number, key = ''): Promise<boolean> {
  const { made, call } = callsOf(responseOf(status), responseOf(status));
  await run(layer, call, { key });
  return made.length > 1;
}

/** How many of so many calls, one after the other, are retried. */
async function repeatsOf(layer: Layer, calls: number, key = '') {
  let repeats = 0;
  for (let n = 0; n < calls; n += 1) repeats += Number(await isRetried(layer, 503, key));
  return repeats;
}

it('retries the first calls on credit, then the percentage of the calls, and keeps the retries of other keys', async () => {
  const layer = atOnce(20);
  expect(await repeatsOf(layer, 10)).toBe(10);
  const repeats = await repeatsOf(layer, 500);
  expect(repeats).toBeGreaterThanOrEqual(100);
  expect(repeats).toBeLessThanOrEqual(102);
  expect(await repeatsOf(layer, 10, 'other')).toBe(10);
});

it('retries at most the credit and the percentage of the calls, whatever their outcomes', async () => {
  const call = fc.record({
    status: fc.constantFrom(200, 404, 502, 503, 504),
    key: fc.constantFrom(...'aaaaaabcdefghij'),
  });
  const rounds = fc.array(fc.array(call, { maxLength: 60 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 100 }), rounds, async (percent, all) => {
      const layer = atOnce(percent);
      const counts = new Map<string, { calls: number; repeats: number }>();
      const count = (key: string, isRepeated: boolean) => {
        const { calls, repeats } = counts.get(key) ?? { calls: 0, repeats: 0 };
        counts.set(key, { calls: calls + 1, repeats: repeats + Number(isRepeated) });
      };
      // Those of one round at once, the rounds one after the other.
      for (const round of all) {
        await Promise.all(
          round.map(async ({ status, key }) => {
            const isRepeated = await isRetried(layer, status, key);
            count(key, isRepeated);
          }),
        );
        for (const { calls, repeats } of counts.values()) {
          expect(repeats).toBeLessThanOrEqual((percent > 0 ? 10 : 0) + (calls * percent) / 100);
        }
      }
    }),
    { numRuns: 60 },
  );
});

it.each([
  ['the reason of the caller', new UpstreamCancelled()],
  ['the first outcome at the deadline', new UpstreamTimeout(1)],
])('reports, where the call is aborted before the retry, %s', async (_, reason) => {
  const first = responseOf(503);
  const { made, call } = callsOf(first, responseOf(200));
  const aborter = new AbortController();
  // The retry would come after a minute.
  const running = run(
    retry(60_000, 100, () => 600),
    call,
    { signal: aborter.signal },
  );
  await immediate();
  aborter.abort(reason);
  expect(await running).toBe(reason instanceof UpstreamTimeout ? first : reason);
  expect(made).toEqual([false]);
});

it('does not retry a health call', async () => {
  const { made, call } = callsOf(responseOf(503));
  expect(await run(atOnce(), call, { target: healthTarget })).toMatchObject({ status: 503 });
  expect(made).toEqual([false]);
});
