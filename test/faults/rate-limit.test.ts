import { expect, it } from 'vitest';
import type { Script } from '../support/upstream.ts';
import { canary, expectNoLeak } from './leaks.ts';
import {
  expectRecovery,
  one,
  otherKey,
  post,
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
  ['of no seconds', '0', 0],
  ['absent', undefined, undefined],
  ['negative', '-5', undefined],
  ['a fraction', '1.5', undefined],
  ['a word', 'soon', undefined],
])('makes a call again at once after a 429 whose Retry-After is %s', async (_, field, seconds) => {
  const setup = await startTestSetup(refusing(field));
  expect(await refusalIn(setup)).toBe(seconds);
  await expectRecovery(setup);
});

it('sends calls of a key when its time is over, and not before', async () => {
  const setup = await startTestSetup(refusing('1'));
  const refusedAt = performance.now();
  expect((await setup.post(one)).status).toBe(429);
  setup.heal();
  const calls = setup.upstream.requests.length;
  let served = await setup.post(one);
  while (served.status === 429) {
    expect(setup.upstream.requests).toHaveLength(calls);
    // The gateway does not wait: the rejection comes while the gate stays closed for long.
    served = await setup.post(one);
  }
  expect(performance.now() - refusedAt).toBeGreaterThanOrEqual(999);
  expect(served.response.data).toEqual({ site: { id: 'SITE-1', city: 'faulty SITE-1' } });
});

it('returns the data that came before the limit was reached', async () => {
  const setup = await startTestSetup((req, res) => {
    if (req.url === '/v1/site/SITE-1') refusing('30')(req, res);
    else res.end(JSON.stringify({ id: 'SITE-2' }));
  });
  const { status, headers, response } = await setup.post('{ sites(ids: ["SITE-1", "SITE-2"]) { id } }');
  expect(setup.faulty().sort()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-2']);
  expect({ status, data: response.data }).toEqual({ status: 200, data: { sites: [null, { id: 'SITE-2' }] } });
  expect(response.errors).toMatchObject([
    { path: ['sites', 0], extensions: { code: 'RATE_LIMITED', retryAfter: 30 } },
  ]);
  expect(headers.has('retry-after')).toBe(false);
});

it('never counts 429 as an outage', async () => {
  const setup = await startTestSetup(refusing());
  await Promise.all(Array.from({ length: 80 }, (_, n) => setup.post(`{ site(id: "SITE-${n}") { id } }`)));
  expect(setup.faulty()).toHaveLength(80);
  setup.fall();
  const other = await post(setup.gateway.url, one, { key: otherKey });
  expect(other.response.data).toEqual({ site: { id: 'SITE-1', city: 'other SITE-1' } });
  await expectRecovery(setup);
});
