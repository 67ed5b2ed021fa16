import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  UpstreamAbandoned,
  UpstreamInvalidResponse,
  UpstreamSpared,
  UpstreamTimeout,
  UpstreamUnavailable,
} from '../../src/upstream/errors.ts';
import type { Exchange } from '../../src/upstream/exchange.ts';
import { createRetry, type Retry } from '../../src/upstream/retry.ts';

type Outcome = Exchange | Error;

const answer = (status: number, headers: Exchange['headers'] = {}): Exchange => ({
  status,
  headers,
  body: Buffer.from(`${status}`),
});
const lost = new UpstreamUnavailable(null);
const patience = () => new AbortController().signal;

/** Calls that end so, one after the other; the second time is told apart. */
function callsOf(...outcomes: Outcome[]) {
  const made: boolean[] = [];
  const call = async (isRepeat: boolean) => {
    const outcome = outcomes[made.length] ?? new Error('one call too many');
    made.push(isRepeat);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  return { made, call };
}

const atOnce = (percent = 100) => createRetry(percent, () => 0);

/** How a call ends that may be made twice. */
function run(retry: Retry, call: (isRepeat: boolean) => Promise<Exchange>, signal: AbortSignal) {
  return new Promise<Exchange>((resolve, reject) => {
    const request = { signal, isRepeated: false };
    const landing = retry.once({ answered: resolve, failed: reject }, () => call(true), request);
    call(false).then(
      (answer) => landing.answered(answer),
      (error: Error) => landing.failed(error),
    );
  });
}

it.each<[string, Outcome]>([
  ['502', answer(502)],
  ['503', answer(503)],
  ['504', answer(504)],
  ['no connection', lost],
])('asks once more after %s', async (_, first) => {
  const { made, call } = callsOf(first, answer(200));
  expect(await run(atOnce(), call, patience())).toMatchObject({ status: 200 });
  expect(made).toEqual([false, true]);
});

it.each([200, 204, 304, 400, 401, 403, 404, 408, 409, 425, 429, 500, 501, 505])(
  'takes %i for an answer',
  async (status) => {
    const { made, call } = callsOf(answer(status));
    expect(await run(atOnce(), call, patience())).toMatchObject({ status });
    expect(made).toEqual([false]);
  },
);

it.each<[string, Error]>([
  ['an answer that cannot be used', new UpstreamInvalidResponse('it is not JSON')],
  ['the deadline', new UpstreamTimeout(1)],
  ['the caller’s leaving', new UpstreamAbandoned()],
  ['what the queue spared', new UpstreamSpared('queue')],
  ['what the breaker spared', new UpstreamSpared('breaker')],
  ['a fault of its own', new TypeError('oops')],
])('does not ask again after %s', async (_, error) => {
  const { made, call } = callsOf(error);
  await expect(run(atOnce(), call, patience())).rejects.toBe(error);
  expect(made).toEqual([false]);
});

it.each(['0', '5', 'Mon, 02 Mar 2026 14:05:30 GMT', ''])(
  'does not ask again who says when to come back: %j',
  async (field) => {
    const { made, call } = callsOf(answer(503, { 'retry-after': field }));
    expect(await run(atOnce(), call, patience())).toMatchObject({ status: 503 });
    expect(made).toEqual([false]);
  },
);

it.each<[string, Outcome, Outcome]>([
  ['a second 503', lost, answer(503)],
  ['a 404', answer(503), answer(404)],
  ['a lost connection', answer(503), new UpstreamUnavailable(null)],
  ['an answer that cannot be used', answer(503), new UpstreamInvalidResponse('it breaks off')],
])('ends with what the second call met, and makes no third: %s', async (_, first, second) => {
  const { made, call } = callsOf(first, second);
  const outcome = await run(atOnce(), call, patience()).catch((error: unknown) => error);
  expect(outcome).toBe(second);
  expect(made).toEqual([false, true]);
});

it.each<[string, Outcome]>([
  ['503', answer(503)],
  ['no connection', lost],
])('ends with what the first call met where the second is spared: %s', async (_, first) => {
  const { made, call } = callsOf(first, new UpstreamSpared('breaker'));
  const outcome = await run(atOnce(), call, patience()).catch((error: unknown) => error);
  expect(outcome).toBe(first);
  expect(made).toEqual([false, true]);
});

it('never asks twice at 0 percent', async () => {
  const retry = atOnce(0);
  for (let n = 0; n < 50; n += 1) {
    const { made, call } = callsOf(answer(503));
    expect(await run(retry, call, patience())).toMatchObject({ status: 503 });
    expect(made).toEqual([false]);
  }
});

/** Whether a call that meets this, and meets it again, is made twice. */
async function isRepeated(retry: Retry, status: number): Promise<boolean> {
  const { made, call } = callsOf(answer(status), answer(status));
  await run(retry, call, patience());
  return made.length > 1;
}

/** How many of so many calls, one after the other, are made twice. */
async function repeatsOf(retry: Retry, calls: number, status: number) {
  let repeats = 0;
  for (let n = 0; n < calls; n += 1) repeats += Number(await isRepeated(retry, status));
  return repeats;
}

it('repeats the first calls on credit, and the percentage of all after', async () => {
  const retry = atOnce(20);
  expect(await repeatsOf(retry, 10, 503)).toBe(10);
  const repeats = await repeatsOf(retry, 500, 503);
  expect(repeats).toBeGreaterThanOrEqual(100);
  expect(repeats).toBeLessThanOrEqual(102);
});

it('saves up no more than the credit in good times', async () => {
  const retry = atOnce(20);
  await repeatsOf(retry, 1_000, 200);
  expect(await repeatsOf(retry, 14, 503)).toBe(12);
});

it('repeats at most the credit and the percentage of the calls, whatever they meet', async () => {
  const statuses = fc.array(fc.constantFrom(200, 404, 502, 503, 504), { maxLength: 40 });
  const rounds = fc.array(statuses, { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 100 }), rounds, async (percent, all) => {
      const retry = atOnce(percent);
      let [calls, repeats] = [0, 0];
      // Those of one round at once, the rounds one after the other.
      for (const round of all) {
        const repeated = await Promise.all(round.map((status) => isRepeated(retry, status)));
        calls += round.length;
        repeats += repeated.filter((isOne) => isOne).length;
        expect(repeats).toBeLessThanOrEqual((percent > 0 ? 10 : 0) + (calls * percent) / 100 + 1e-6);
      }
    }),
    { numRuns: 200 },
  );
});

it.each([0, 0.3, 0.999])('asks again after %d of a tenth of a second', async (share) => {
  const { made, call } = callsOf(answer(503), answer(200));
  let isLate = false;
  let askedAt = 0;
  const timed = (isRepeat: boolean) => {
    if (isRepeat) expect(performance.now() - askedAt).toBeGreaterThanOrEqual(share * 100 - 2);
    // Timers fire in the order of their times, on a busy machine too.
    else setTimeout(() => (isLate = true), 150);
    askedAt = performance.now();
    return call(isRepeat);
  };
  expect(
    await run(
      createRetry(100, () => share),
      timed,
      patience(),
    ),
  ).toMatchObject({ status: 200 });
  expect(isLate).toBe(false);
  expect(made).toEqual([false, true]);
});

it('ends at once, with the reason, when the call is given up before it is repeated', async () => {
  const { made, call } = callsOf(answer(503), answer(200));
  const leaving = new AbortController();
  let outcome: unknown;
  // Much longer than a test lasts, so that only the leaving can end it.
  const running = run(
    createRetry(100, () => 1_000),
    call,
    leaving.signal,
  );
  running.catch((error: unknown) => (outcome = error));
  await turn();
  expect(made).toEqual([false]);
  const reason = new UpstreamAbandoned();
  leaving.abort(reason);
  await turn();
  expect(outcome).toBe(reason);
  expect(made).toEqual([false]);
});

it('ends at once with what the first call met when the deadline comes before the repeat', async () => {
  const { made, call } = callsOf(answer(503), answer(200));
  const deadline = new AbortController();
  const running = run(
    createRetry(100, () => 1_000),
    call,
    deadline.signal,
  );
  await turn();
  deadline.abort(new UpstreamTimeout(1));
  expect(await running).toMatchObject({ status: 503 });
  expect(made).toEqual([false]);
});

it('ends with what the first call met when the repeat has too little time', async () => {
  const { made, call } = callsOf(answer(503), new UpstreamTimeout(1));
  expect(await run(atOnce(), call, patience())).toMatchObject({ status: 503 });
  expect(made).toEqual([false, true]);
});
