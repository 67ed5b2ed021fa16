import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readSiteCard } from '../../examples/trusted.ts';
import { exampleTabs } from '../../graphiql/examples.ts';
import { demoConversations, demoKeys, demoSites } from '../../reference/data/demo-ids.ts';
import { postQuery, startGateway } from '../support/gateway.ts';
import { startReference } from '../support/reference.ts';

it('sends the ids of the generated manifest', async () => {
  const reference = await startReference();
  const gateway = await startGateway(reference.url, {
    TRUSTED_DOCUMENTS: resolve(import.meta.dirname, '../../examples/generated/persisted-documents.json'),
    TRUSTED_DOCUMENTS_ONLY: 'on',
  });
  const card = await readSiteCard(gateway.url, demoKeys.acme, { site: demoSites().main });
  expect(reference.paths).toEqual(['/v1/site/SITE-1001']);
  expect(card).toMatchObject({ site: { id: 'SITE-1001', city: 'Bend' } });
  const { errors } = await postQuery(gateway.url, '{ health { reachable } }', { key: demoKeys.acme });
  expect(errors?.[0]?.message).toContain('send a documentId');
});

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
