import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import type { KeyHolder, UpstreamCall } from '../../src/upstream/caller.ts';
import { UpstreamRateLimited } from '../../src/upstream/errors.ts';
import { createRateLimitGate, reservedMs, retryAfterFrom } from '../../src/upstream/rate-limit.ts';
import { startClient } from '../support/client.ts';
import { headersOf } from '../support/response.ts';
import { bareSite, sendJson, sendSite, startUpstream } from '../support/upstream.ts';

/** A caller with this key; here the key is its own hash. */
const a = as('a');
const b = as('b');

function as(key: string): KeyHolder {
  return { apiKey: key, keyHash: key };
}

it('closes for one key alone', () => {
  const gate = createRateLimitGate();
  gate.close(a, 60);
  expect(['a', 'b', 'A', 'a ', ''].map((key) => gate.secondsClosed(as(key)))).toEqual([60, 0, 0, 0, 0]);
  expect(gate.count()).toBe(1);
});

it('does not close for 0 seconds', () => {
  const gate = createRateLimitGate();
  gate.close(a, 0);
  gate.close(b, 5);
  gate.close(b, 0);
  expect(gate.secondsClosed(a)).toBe(0);
  expect(gate.secondsClosed(b)).toBe(5);
});

it('keeps the longest of several closures', () => {
  const gate = createRateLimitGate();
  for (const seconds of [5, 60, 7]) gate.close(a, seconds);
  expect(gate.secondsClosed(a)).toBe(60);
});

it('reports whole seconds, and opens when the time is over', async () => {
  const gate = createRateLimitGate();
  const start = performance.now();
  gate.close(a, 0.08);
  while (gate.secondsClosed(a) > 0) {
    expect(gate.secondsClosed(a)).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(performance.now() - start).toBeGreaterThanOrEqual(79);
});

it('holds 10,000 keys and drops the oldest', () => {
  const gate = createRateLimitGate();
  for (let n = 0; n <= 10_000; n += 1) gate.close(as(`${n}`), 60);
  expect([0, 1, 10_000].map((n) => gate.secondsClosed(as(`${n}`)))).toEqual([0, 60, 60]);
});

/**
 * An upstream that responds 429 to the keys in `spent`, and a client; `reported` are the reported sources.
 */
async function startLimited(retryAfter: string, env: NodeJS.ProcessEnv = {}) {
  const spent = new Set(['spent-0']);
  const upstream = await startUpstream((req, res) => {
    if (spent.has(req.headers['x-api-key']?.toString() ?? '')) {
      sendJson(res, {}, 429, { 'retry-after': retryAfter });
    } else sendSite(req, res);
  });
  const { getSite, callerOf } = startClient(upstream.url, env);
  const reported: UpstreamCall['source'][] = [];
  const get = (key: string, id: string) =>
    getSite({ ...callerOf(key), report: ({ source }) => reported.push(source) }, id, []);
  return { upstream, spent, reported, get };
}

it('stays open after responses without Retry-After', async () => {
  const { upstream, get } = await startLimited('60');
  for (const id of ['SITE-1', 'SITE-2']) expect(await get('spent-1', id)).toMatchObject({ id });
  expect(upstream.requests).toHaveLength(2);
});

it('rejects a rate-limited key without waiting for a connection', async () => {
  const { upstream, get } = await startLimited('60', { UPSTREAM_CONNECTIONS: '1' });
  await expect(get('spent-0', 'SITE-1')).rejects.toBeInstanceOf(UpstreamRateLimited);
  const held: ServerResponse[] = [];
  upstream.server.removeAllListeners('request').on('request', (_, res) => held.push(res));
  const holding = get('spent-1', 'SITE-2');
  await once(upstream.server, 'request');
  await expect(get('spent-0', 'SITE-3')).rejects.toBeInstanceOf(UpstreamRateLimited);
  for (const res of held) sendJson(res, bareSite('SITE-2'));
  expect(await holding).toMatchObject({ id: 'SITE-2' });
});

it('rejects the calls that wait for a connection when a 429 comes', async () => {
  const { upstream, reported, get } = await startLimited('60', { UPSTREAM_CONNECTIONS: '1' });
  const ids = ['SITE-1', 'SITE-2', 'SITE-3'];
  const outcomes = await Promise.allSettled([
    ...ids.map((id) => get('spent-0', id)),
    get('spent-1', 'SITE-4'),
  ]);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-4']);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
  expect(reported.sort()).toEqual(['network', 'network', 'rate-limited', 'rate-limited']);
});

const now = Date.parse('2026-03-02T14:05:00Z');

it.each<[string | null, number | undefined]>([
  ['0', 0],
  ['1', 1],
  ['120', 120],
  [' 7 ', 7],
  ['3600', 3600],
  ['3601', 3600],
  ['9'.repeat(400), 3600],
  ['Mon, 02 Mar 2026 14:05:30 GMT', 30],
  ['Mon, 02 Mar 2026 14:05:00 GMT', 0],
  ['Mon, 02 Mar 2026 14:00:00 GMT', 0],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 3600],
  ['Mon, 99 Mar 2026 14:05:30 GMT', undefined],
  ['Mon, 02 Xyz 2026 14:05:30 GMT', undefined],
  ['2026-03-02T14:05:30Z', undefined],
  ['-1', undefined],
  ['+1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['0x10', undefined],
  ['soon', undefined],
  ['', undefined],
  ['1, 2', undefined],
  [null, undefined],
])('reads Retry-After %j as %j', (field, seconds) => {
  expect(retryAfterFrom(field, now)).toBe(seconds);
});

it('rounds a part of a second of Retry-After up, so that no retry comes too early', () => {
  expect(retryAfterFrom('Mon, 02 Mar 2026 14:05:30 GMT', now + 1)).toBe(30);
  expect(retryAfterFrom('Mon, 02 Mar 2026 14:05:30 GMT', now + 999)).toBe(30);
});

it.each([
  ['more than a fifth', '"key";r=21;t=30', '"key";q=100;w=60', 0],
  ['a fifth', '"key";r=20;t=30', '"key";q=100;w=60', 0],
  ['less than a fifth', '"key";r=19;t=30', '"key";q=100;w=60', 30_000],
  [
    'the longest of several limits',
    '"a";r=1;t=5, "b";r=1;t=50, "c";r=90;t=99',
    '"a";q=10,"b";q=10, "c";q=100',
    50_000,
  ],
  ['parameters in another order', 'key;t=30;r=1', 'key;w=60;q=100', 30_000],
  ['a limit without a quota', '"key";r=1;t=30', undefined, 0],
  ['an empty limit without a quota', '"key";r=0;t=30', undefined, 30_000],
  ['the quota of another limit', '"key";r=1;t=30', '"other";q=100', 0],
  ['an absurd time', '"key";r=0;t=99999999', undefined, 3_600_000],
  ['no time', '"key";r=0', undefined, 0],
  ['something else', 'limit=100, remaining=0, reset=30', '100;w=60', 0],
  ['an empty field', '', '', 0],
  ['no field', undefined, undefined, 0],
])('reserves quota for queries: %s', (_, limit, policy, ms) => {
  expect(reservedMs(headersOf({ ratelimit: limit, 'ratelimit-policy': policy }))).toBe(ms);
});
