import { expect, it } from 'vitest';
import type { Script } from '../support/upstream.ts';
import { canary, expectNoLeak } from './leaks.ts';
import {
  expectRecovery,
  one,
  otherKey,
  postBesideOthers,
  startTestSetup,
  type TestSetup,
} from './test-setup.ts';

/** How long a test takes at most between a Retry-After and what is left of it. */
const SLACK_S = 60;
const report = { 'x-explain': 'report' };

const refusing =
  (retryAfter?: string): Script =>
  (_, res) =>
    res.writeHead(429, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(canary);

/** The one error of the whole request, and the seconds of its Retry-After. */
async function refusalIn(setup: TestSetup): Promise<unknown> {
  const { status, headers, response } = await postBesideOthers(setup, one);
  expect(setup.faulty()).toEqual(['/v1/site/SITE-1']);
  expect(status).toBe(429);
  expect(response).not.toHaveProperty('data');
  expect(response.errors).toHaveLength(1);
  const { code, retryAfter, ...rest } = response.errors?.[0]?.extensions ?? {};
  expect({ code, rest }).toEqual({ code: 'RATE_LIMITED', rest: {} });
  expect(headers.get('retry-after')).toBe(retryAfter === undefined ? null : String(retryAfter));
  return retryAfter;
}

it.each([
  ['in seconds', '700', 700],
  ['absurdly long', '99999999999', 3600],
])('rejects a key for a Retry-After %s, and no other', async (_, field, seconds) => {
  const setup = await startTestSetup(refusing(field));
  expect(await refusalIn(setup)).toBe(seconds);
  await expectGate(setup, seconds);
});

it('rejects a key until a Retry-After that is a date', async () => {
  const until = Math.floor(Date.now() / 1000) + 600;
  const setup = await startTestSetup(refusing(new Date(until * 1000).toUTCString()));
  const seconds = Number(await refusalIn(setup));
  expect(seconds).toBeGreaterThan(600 - SLACK_S);
  expect(seconds).toBeLessThanOrEqual(600);
  await expectGate(setup, seconds);
});

/** The key is rejected without a call though the upstream has recovered; the other key is served. */
async function expectGate(setup: TestSetup, seconds: number): Promise<void> {
  setup.heal();
  const before = setup.upstream.requests.length;
  const gated = await setup.post('{ sites(ids: ["SITE-2", "SITE-3"]) { id } health { statusCode } }', {
    headers: report,
  });
  expect(setup.upstream.requests).toHaveLength(before);
  expect(gated).toMatchObject({
    status: 429,
    response: { errors: [{ extensions: { code: 'RATE_LIMITED' } }] },
  });
  const { calls } = gated.response.extensions?.upstream ?? { calls: [] };
  expect(calls.map(({ source, status }) => [source, status])).toEqual(Array(3).fill(['rate-limited', 429]));
  const left = Number(gated.headers.get('retry-after'));
  expect(left).toBeGreaterThan(seconds - SLACK_S);
  expect(left).toBeLessThanOrEqual(seconds);
  expectNoLeak(gated, setup);
  const other = await setup.post(one, { key: otherKey });
  expect(other.text).toBe('{"data":{"site":{"id":"SITE-1","city":"other SITE-1"}}}');
}

it.each([
  ['in the past', new Date(Date.now() - 60_000).toUTCString(), 0],
  ['absent', undefined, undefined],
  ['a word', 'soon', undefined],
])('makes a call again at once after a 429 whose Retry-After is %s', async (_, field, seconds) => {
  const setup = await startTestSetup(refusing(field));
  expect(await refusalIn(setup)).toBe(seconds);
  await expectRecovery(setup);
});
