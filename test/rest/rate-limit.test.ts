import { expect, it } from 'vitest';
import { apiKeyOf, type UpstreamCall } from '../../src/rest/caller.ts';
import { UpstreamRateLimited } from '../../src/rest/errors.ts';
import { RateLimitGate } from '../../src/rest/guards/admission.ts';
import { startClient } from '../support/client.ts';
import { sendJson, sendSite, startUpstream } from '../support/upstream.ts';

it('closes for one key alone, for the longest of its times', () => {
  const gate = new RateLimitGate();
  gate.close(apiKeyOf('b'), 0);
  for (const seconds of [5, 60, 7, 0]) gate.close(apiKeyOf('a'), seconds);
  expect(['a', 'b', 'A', 'a ', ''].map((key) => gate.secondsClosed(apiKeyOf(key)))).toEqual([60, 0, 0, 0, 0]);
  expect(gate.gauge.read()).toBe(1);
});

it('opens when the time is over, by whole seconds that are rounded up', async () => {
  const gate = new RateLimitGate();
  gate.close(apiKeyOf('a'), 0.9);
  expect(gate.secondsClosed(apiKeyOf('a'))).toBe(1);
  await expect.poll(() => gate.secondsClosed(apiKeyOf('a')), { timeout: 10_000 }).toBe(0);
});

it('holds 10,000 keys and drops the oldest', () => {
  const gate = new RateLimitGate();
  for (let n = 0; n <= 10_000; n += 1) gate.close(apiKeyOf(`${n}`), 60);
  expect([0, 1, 10_000].map((n) => gate.secondsClosed(apiKeyOf(`${n}`)))).toEqual([0, 60, 60]);
});

it('rejects the calls of a rate-limited key that arrive, and those that wait for a connection', async () => {
  const upstream = await startUpstream((req, res) => {
    if (req.headers['x-api-key'] === 'spent-0') sendJson(res, {}, 429, { 'retry-after': '60' });
    else sendSite(req, res);
  });
  const { getSite, callerOf } = startClient(upstream.url, { UPSTREAM_CONNECTIONS: '1' });
  const reported: UpstreamCall['source'][] = [];
  const get = (key: string, id: string) =>
    getSite({ ...callerOf(key), report: ({ source }) => reported.push(source) }, id, []);
  const ids = ['SITE-1', 'SITE-2', 'SITE-3'];
  const calls = [...ids.map((id) => get('spent-0', id)), get('spent-1', 'SITE-4')];
  const outcomes = await Promise.allSettled(calls);
  await expect(get('spent-0', 'SITE-5')).rejects.toBeInstanceOf(UpstreamRateLimited);
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-4']);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
  expect(reported.sort()).toEqual(['network', 'network', 'rate-limited', 'rate-limited', 'rate-limited']);
});
