import { expect, it } from 'vitest';
import { UpstreamCancelled } from '../../../src/rest/errors.ts';
import { startClient } from '../../support/client.ts';
import { apiKey } from '../../support/gateway.ts';
import { bareSite, sendJson, sendSite, startHolding, startUpstream } from '../../support/upstream.ts';

const site = { ...bareSite('SITE-1'), city: 7, clients: [{ id: 'c1' }] };
const withClients = '/v1/site/SITE-1?include=clients';

it('decodes and stores a response whose first caller has disconnected, for the other waiters', async () => {
  const { upstream, held } = await startHolding();
  const { getSite, callerOf, drift } = startClient(upstream.url, { CACHE_TTL_MS: '60000' });
  const leaving = new AbortController();
  const first = getSite(callerOf(apiKey, leaving.signal), 'SITE-1', ['clients']);
  const second = getSite(callerOf(apiKey), 'SITE-1', []);
  await upstream.received(1);
  leaving.abort();
  await expect(first).rejects.toBeInstanceOf(UpstreamCancelled);
  for (const res of held) sendJson(res, site);
  expect(await second).toMatchObject({ id: 'SITE-1', city: null });
  expect(await getSite(callerOf(apiKey), 'SITE-1', ['clients'])).toMatchObject({ clients: [{ id: 'c1' }] });
  expect(upstream.paths()).toEqual([withClients]);
  expect(drift).toEqual(['Site.city']);
});

it('decodes a response once, and counts its drift once, however many wait for it', async () => {
  const { upstream, held } = await startHolding();
  const { getSite, callerOf, drift } = startClient(upstream.url);
  const pending = [1, 2, 3].map(() => getSite(callerOf(apiKey), 'SITE-1', ['clients']));
  await upstream.received(1);
  for (const res of held) sendJson(res, site);
  const sites = await Promise.all(pending);
  expect(upstream.paths()).toEqual([withClients]);
  expect(new Set(sites).size).toBe(1);
  expect(drift).toEqual(['Site.city']);
});

it('reports a call before the requests that joined it', async () => {
  const upstream = await startUpstream(sendSite);
  const client = startClient(upstream.url);
  const reported: string[] = [];
  const callerOf = (name: string) => ({
    ...client.callerOf('one key'),
    report: ({ source }: { source: string }) => reported.push(`${name}: ${source}`),
  });
  await Promise.all(['first', 'second'].map((name) => client.getSite(callerOf(name), 'SITE-1', [])));
  expect(upstream.requests).toHaveLength(1);
  expect(reported).toEqual(['first: network', 'second: coalesced']);
});
