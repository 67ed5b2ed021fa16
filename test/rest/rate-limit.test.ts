import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import type { KeyHolder, UpstreamCall } from '../../src/rest/caller.ts';
import { UpstreamRateLimited } from '../../src/rest/errors.ts';
import { createRateLimitGate } from '../../src/rest/guards/admission.ts';
import { startClient } from '../support/client.ts';
import { bareSite, sendJson, sendSite, startUpstream } from '../support/upstream.ts';

/** A caller with this key; here the key is its own hash. */
const a = as('a');
const b = as('b');

function as(key: string): KeyHolder {
  return { apiKey: key, keyHash: key };
}

it('closes for one key alone, for the longest of its times', () => {
  const gate = createRateLimitGate();
  gate.close(b, 0);
  for (const seconds of [5, 60, 7, 0]) gate.close(a, seconds);
  expect(['a', 'b', 'A', 'a ', ''].map((key) => gate.secondsClosed(as(key)))).toEqual([60, 0, 0, 0, 0]);
  expect(gate.count()).toBe(1);
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
