import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readSiteCard } from '../../examples/trusted.ts';
import { demoConversations, demoKeys, demoSites } from '../../src/reference/data/demo-ids.ts';
import { ConversationDocument, DashboardDocument, SiteDocument } from '../generated/graphql.ts';
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

it.each([
  {
    document: SiteDocument,
    variables: { id: demoSites().main },
    calls: ['/v1/site/SITE-1001?include=clients'],
  },
  {
    document: ConversationDocument,
    variables: { id: demoConversations.main },
    calls: [
      `/v1/conversation/${demoConversations.main}/context`,
      '/v1/site/SITE-1001',
      '/v1/site/SITE-1002',
      '/v1/site/SITE-1003',
    ],
  },
  {
    document: DashboardDocument,
    variables: { site: demoSites().main, conversation: demoConversations.main },
    calls: [
      `/v1/conversation/${demoConversations.main}/context`,
      '/v1/site/SITE-1001?include=clients,projects',
      '/v1/site/SITE-1002?include=clients',
      '/v1/site/SITE-1003?include=clients',
    ],
  },
])(
  'executes the example operation that makes $calls.length calls',
  async ({ document, variables, calls }) => {
    const reference = await startReference();
    const gateway = await startGateway(reference.url);
    const response = await postQuery<object>(gateway.url, document, { key: demoKeys.acme, variables });
    expect(reference.paths.toSorted()).toEqual(calls);
    expect(response.errors).toBeUndefined();
    expect(Object.values(response.data ?? {})).not.toContain(null);
  },
);

it("never returns one partner's data to another", async () => {
  const reference = await startReference();
  const gateway = await startGateway(reference.url);
  const document = `{ site(id: "SITE-1001") { address1 primaryClient { name } } }`;
  const [acme, globex] = await Promise.all([
    postQuery(gateway.url, document, { key: demoKeys.acme }),
    postQuery(gateway.url, document, { key: demoKeys.globex }),
  ]);
  expect(acme.data?.site).toBeTruthy();
  expect(globex.data?.site).toBeTruthy();
  expect(acme.data).not.toEqual(globex.data);
  const foreign = await postQuery(gateway.url, `{ site(id: "${demoSites().withSlash}") { id } }`, {
    key: demoKeys.globex,
  });
  expect(foreign).toMatchObject({ status: 200, data: { site: null } });
  expect(foreign.errors).toBeUndefined();
});
