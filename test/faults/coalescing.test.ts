import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { startBoth } from '../support/gateway.ts';
import { sendJson, siteFromPath } from '../support/upstream.ts';
import { post, siteOf, withClients } from './test-setup.ts';

const bare = '/v1/site/SITE-1';
const expanded = `${bare}?include=clients`;
const site = { id: 'SITE-1', city: 'faulty SITE-1' };

/** An upstream that holds every response until the test sends it. */
async function startHeld() {
  const held: { path: string; key: string; res: ServerResponse }[] = [];
  const both = await startBoth({ UPSTREAM_CONNECTIONS: '256' }, (req, res) =>
    held.push({ path: req.url ?? '', key: String(req.headers['x-api-key']), res }),
  );
  return {
    ...both,
    respondToAll() {
      for (const { path, key, res } of held) {
        if (!res.headersSent) sendJson(res, siteOf(key, siteFromPath(path)));
      }
    },
  };
}

it('joins a request for the bare site to a call with clients, and not the other way round', async () => {
  const { upstream, gateway, respondToAll } = await startHeld();
  const larger = post(gateway.url, withClients);
  await upstream.received(1);
  // The call for the marker shows that both sites were requested.
  const marked = '{ site(id: "SITE-1") { id city } marker: site(id: "SITE-marker") { id } }';
  const smaller = post(gateway.url, marked, { headers: { 'x-explain': 'report' } });
  await upstream.received(2);
  const other = post(gateway.url, '{ site(id: "SITE-1") { projects { name } } }');
  await upstream.received(3);
  expect(upstream.paths()).toEqual([expanded, '/v1/site/SITE-marker', `${bare}?include=projects`]);
  respondToAll();
  expect((await larger).response.data).toEqual({ site: { ...site, clients: [{ name: 'faulty clients' }] } });
  expect((await other).response.data).toEqual({ site: { projects: [{ name: 'faulty projects' }] } });
  const { response } = await smaller;
  expect(response.data).toMatchObject({ site });
  expect(response.extensions?.upstream?.calls).toContainEqual({
    method: 'GET',
    path: bare,
    status: 200,
    startedMs: expect.any(Number),
    durationMs: expect.any(Number),
    source: 'coalesced',
    fields: ['site'],
  });
  expect(upstream.requests).toHaveLength(3);
});
