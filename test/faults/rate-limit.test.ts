import { expect, it } from 'vitest';
import { canary, expectNoLeak } from './leaks.ts';
import { one, otherKey, postBesideOthers, startTestSetup } from './test-setup.ts';

/** How long a test takes at most between a Retry-After and what is left of it. */
const SLACK_S = 60;

it.each([
  ['in seconds', '700', 700],
  ['absurdly long', '99999999999', 3600],
])('rejects a key for a Retry-After %s, and no other', async (_, field, seconds) => {
  const setup = await startTestSetup((_, res) => res.writeHead(429, { 'retry-after': field }).end(canary));
  const { status, headers, response } = await postBesideOthers(setup, one);
  expect(setup.faulty()).toEqual(['/v1/site/SITE-1']);
  expect(status).toBe(429);
  expect(response).not.toHaveProperty('data');
  expect(response.errors?.map(({ extensions }) => extensions)).toEqual([
    { code: 'RATE_LIMITED', retryAfter: seconds },
  ]);
  expect(headers.get('retry-after')).toBe(String(seconds));

  // The upstream has recovered.
  setup.heal();
  const before = setup.upstream.requests.length;
  const gated = await setup.post('{ sites(ids: ["SITE-2", "SITE-3"]) { id } health { statusCode } }', {
    headers: { 'x-explain': 'report' },
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
});
