import { expect, it } from 'vitest';
import { exampleTabs } from '../../graphiql/examples.ts';
import { demoConversations, demoKeys, demoSites } from '../../reference/data/demo-ids.ts';
import { postQuery, startGateway } from '../support/gateway.ts';
import { startReference } from '../support/reference.ts';

const tabs = exampleTabs({
  example: { apiKey: demoKeys.acme, siteId: demoSites().main, conversationId: demoConversations.main },
  hasLive: false,
});
const context = `/v1/conversation/${demoConversations.main}/context`;

it.each([
  { tab: 0, calls: ['/v1/site/SITE-1001?include=clients'] },
  { tab: 1, calls: [context, '/v1/site/SITE-1001', '/v1/site/SITE-1002', '/v1/site/SITE-1003'] },
  {
    tab: 2,
    calls: [
      context,
      '/v1/site/SITE-1001?include=clients,projects',
      '/v1/site/SITE-1002?include=clients',
      '/v1/site/SITE-1003?include=clients',
    ],
  },
])('executes the example operation that makes $calls.length calls', async ({ tab, calls }) => {
  const reference = await startReference();
  const gateway = await startGateway(reference.url);
  const { query = '', variables = '' } = tabs[tab] ?? {};
  const response = await postQuery(gateway.url, query, {
    key: demoKeys.acme,
    variables: JSON.parse(variables),
  });
  expect(reference.paths.toSorted()).toEqual(calls);
  expect(response.errors).toBeUndefined();
  expect(Object.values(response.data ?? {})).not.toContain(null);
});
