import { expect, it } from 'vitest';
import { codes, postQuery, startGateway } from '../support/gateway.ts';
import { postForParts } from '../support/incremental.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

/** A site whose id ends in F is forbidden (403). */
async function start(env: NodeJS.ProcessEnv = {}) {
  const upstream = await startUpstream((req, res) => {
    const { id } = siteFromPath(req.url ?? '');
    if (id.endsWith('F')) return sendJson(res, {}, 403);
    return sendJson(res, bareSite(id));
  });
  return { upstream, gateway: await startGateway(upstream.url, env) };
}

const sites = 'query ($ids: [ID!]!) { sites(ids: $ids) { id } }';

it.each([
  ['sites', 'id'],
  ['conversationContexts', 'id'],
])('rejects 51 ids of %s without a call', async (field) => {
  const { upstream, gateway } = await start();
  const response = await postQuery(gateway.url, sites.replace('sites(', `${field}(`), {
    variables: { ids: Array.from({ length: 51 }, () => 'SITE-1') },
  });
  expect(upstream.requests).toEqual([]);
  expect(response.data).toBeNull();
  expect(response.errors).toMatchObject([
    {
      message: 'A list may hold at most 50 ids, not 51.',
      path: [field],
      extensions: { code: 'BAD_USER_INPUT' },
    },
  ]);
});

it('requires the prefix of SITE_ID_PREFIX', async () => {
  const { upstream, gateway } = await start({ SITE_ID_PREFIX: 'Acme9' });
  const response = await postQuery(
    gateway.url,
    '{ a: site(id: "Acme9-1") { id } b: site(id: "SITE-1") { id } }',
  );
  expect(upstream.paths()).toEqual(['/v1/site/Acme9-1']);
  expect(response).toMatchObject({ data: { a: { id: 'Acme9-1' }, b: null } });
  expect(codes(response)).toEqual(['BAD_USER_INPUT']);
});

it('streams a list of sites, each with its own error', async () => {
  const { upstream, gateway } = await start();
  const { status, parts } = await postForParts(
    gateway.url,
    '{ sites(ids: ["SITE-1", "SITE-2", "SITE-F", "SITE-1"]) @stream(initialCount: 1, label: "rest") { id } }',
  );
  expect(upstream.paths().sort()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-2', '/v1/site/SITE-F']);
  expect(status).toBe(200);
  expect(parts[0]).toEqual({ data: { sites: [{ id: 'SITE-1' }] }, hasNext: true });
  const later = parts.slice(1).flatMap((part) => part.incremental ?? []);
  expect(later.map(({ path, items }) => [path, items])).toEqual([
    [['sites', 1], [{ id: 'SITE-2' }]],
    [['sites', 2], [null]],
    [['sites', 3], [{ id: 'SITE-1' }]],
  ]);
  expect(later.every(({ label }) => label === 'rest')).toBe(true);
  expect(later.flatMap(({ errors }) => errors ?? [])).toMatchObject([
    { path: ['sites', 2], extensions: { code: 'FORBIDDEN' } },
  ]);
  expect(parts.at(-1)?.hasNext).toBe(false);
});
