import { expect, it } from 'vitest';
import { codes, postQuery, startBoth } from '../support/gateway.ts';

const sites = 'query ($ids: [ID!]!) { sites(ids: $ids) { id } }';

it.each([
  ['sites', 'id'],
  ['conversationContexts', 'id'],
])('rejects 51 ids of %s without a call', async (field) => {
  const { upstream, gateway } = await startBoth();
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
  const { upstream, gateway } = await startBoth({ SITE_ID_PREFIX: 'Acme9' });
  const response = await postQuery(
    gateway.url,
    '{ a: site(id: "Acme9-1") { id } b: site(id: "SITE-1") { id } }',
  );
  expect(upstream.paths()).toEqual(['/v1/site/Acme9-1']);
  expect(response).toMatchObject({ data: { a: { id: 'Acme9-1' }, b: null } });
  expect(codes(response)).toEqual(['BAD_USER_INPUT']);
});
