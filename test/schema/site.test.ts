import { expect, it } from 'vitest';
import { postQuery, startBoth } from '../support/gateway.ts';

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
