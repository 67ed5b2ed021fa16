import { expect, it } from 'vitest';
import type { Script } from '../support/upstream.ts';
import { canary, expectNoLeak } from './leaks.ts';
import { expectRecovery, one, otherKey, post, postInCrowd, type Stage, startStage } from './stage.ts';

const TIMEOUT_MS = 5_000;
const env = { UPSTREAM_TIMEOUT_MS: String(TIMEOUT_MS) };
const report = { 'x-explain': 'report' };

const refusing =
  (retryAfter?: string): Script =>
  (_, res) =>
    res.writeHead(429, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(canary);

/** The one error of the whole request, and the seconds of its Retry-After. */
async function refusalIn(stage: Stage): Promise<unknown> {
  const { status, headers, response } = await postInCrowd(stage, one, TIMEOUT_MS);
  expect(stage.faulty()).toEqual(['/v1/site/SITE-1']);
  expect(status).toBe(429);
  expect(response).not.toHaveProperty('data');
  expect(response.errors).toHaveLength(1);
  const { code, retryAfter, ...rest } = response.errors?.[0]?.extensions ?? {};
  expect({ code, rest }).toEqual({ code: 'RATE_LIMITED', rest: {} });
  expect(headers.get('retry-after')).toBe(retryAfter === undefined ? null : String(retryAfter));
  return retryAfter;
}

it.each([
  ['in seconds', '7', 7],
  ['absurdly long', '99999999999', 3600],
])('rejects a key for a Retry-After %s, and no other', async (_, field, seconds) => {
  const stage = await startStage(refusing(field), env);
  expect(await refusalIn(stage)).toBe(seconds);
  await expectGate(stage, seconds);
});

it('rejects a key until a Retry-After that is a date', async () => {
  const until = Math.floor(Date.now() / 1000) + 60;
  const stage = await startStage(refusing(new Date(until * 1000).toUTCString()), env);
  const seconds = Number(await refusalIn(stage));
  expect(seconds).toBeGreaterThan(60 - TIMEOUT_MS / 1000);
  expect(seconds).toBeLessThanOrEqual(60);
  await expectGate(stage, seconds);
});

/** The key is rejected without a call though the upstream has recovered; the other key is served. */
async function expectGate(stage: Stage, seconds: number): Promise<void> {
  stage.heal();
  const before = stage.upstream.requests.length;
  const gated = await stage.post('{ sites(ids: ["SITE-2", "SITE-3"]) { id } health { statusCode } }', {
    headers: report,
  });
  expect(stage.upstream.requests).toHaveLength(before);
  expect(gated).toMatchObject({
    status: 429,
    response: { errors: [{ extensions: { code: 'RATE_LIMITED' } }] },
  });
  const { calls } = gated.response.extensions?.upstream ?? { calls: [] };
  expect(calls.map(({ source, status }) => [source, status])).toEqual(Array(3).fill(['rate-limited', 429]));
  const left = Number(gated.headers.get('retry-after'));
  expect(left).toBeGreaterThan(seconds - TIMEOUT_MS / 1000);
  expect(left).toBeLessThanOrEqual(seconds);
  expectNoLeak(gated, stage);
  const other = await stage.post(one, { key: otherKey });
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
  const stage = await startStage(refusing(field), env);
  expect(await refusalIn(stage)).toBe(seconds);
  await expectRecovery(stage);
});

it('sends calls of a key when its time is over, and not before', async () => {
  const stage = await startStage(refusing('1'), env);
  const refusedAt = performance.now();
  expect((await stage.post(one)).status).toBe(429);
  stage.heal();
  const calls = stage.upstream.requests.length;
  let served = await stage.post(one);
  while (served.status === 429) {
    expect(stage.upstream.requests).toHaveLength(calls);
    // The gateway does not wait: the rejection comes while the gate stays closed for long.
    served = await stage.post(one);
  }
  expect(performance.now() - refusedAt).toBeGreaterThanOrEqual(999);
  expect(served.response.data).toEqual({ site: { id: 'SITE-1', city: 'faulty SITE-1' } });
});

it('returns the data that came before the limit was reached', async () => {
  const stage = await startStage((req, res) => {
    if (req.url === '/v1/site/SITE-1') refusing('30')(req, res);
    else res.end(JSON.stringify({ id: 'SITE-2' }));
  }, env);
  const { status, headers, response } = await stage.post('{ sites(ids: ["SITE-1", "SITE-2"]) { id } }');
  expect(stage.faulty().sort()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-2']);
  expect({ status, data: response.data }).toEqual({ status: 200, data: { sites: [null, { id: 'SITE-2' }] } });
  expect(response.errors).toMatchObject([
    { path: ['sites', 0], extensions: { code: 'RATE_LIMITED', retryAfter: 30 } },
  ]);
  expect(headers.has('retry-after')).toBe(false);
});

it('never counts 429 as an outage', async () => {
  const stage = await startStage(refusing(), env);
  await Promise.all(Array.from({ length: 80 }, (_, n) => stage.post(`{ site(id: "SITE-${n}") { id } }`)));
  expect(stage.faulty()).toHaveLength(80);
  stage.fall();
  const other = await post(stage.gateway.url, one, { key: otherKey });
  expect(other.response.data).toEqual({ site: { id: 'SITE-1', city: 'other SITE-1' } });
  await expectRecovery(stage);
});
