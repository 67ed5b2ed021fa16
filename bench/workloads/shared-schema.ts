import { conversationIdOf, siteIdOf } from '../fixtures/ownership.ts';
import { documents } from './documents.ts';
import { expectedClients, expectedConversation, expectedDashboard, expectedSite } from './expected.ts';
import type { Operation } from './requests.ts';
import type { Lookup, WorkloadId } from './workloads.ts';

const level = (label: string) => label.toUpperCase().replaceAll(' ', '_');

/** A request to a contender with the shared schema. */
export function sharedSchemaRequest(
  workload: WorkloadId,
  { partner, sites, conversation = partner }: Lookup,
): Operation {
  const [site = 0] = sites;
  switch (workload) {
    case 'site':
      return post('Site', { id: siteIdOf(site) }, { site: expectedSite(site, level) });
    case 'clients':
    case 'mix':
    case 'unseen':
    case 'tls':
    case 'hundred':
      return post('Clients', { id: siteIdOf(site) }, { site: expectedClients(site, level) });
    case 'dashboard':
      return post(
        'Dashboard',
        { id: conversationIdOf(partner) },
        { conversationContext: expectedDashboard(partner, sites, level) },
      );
    case 'messages':
    case 'thread':
      return post(
        'Messages',
        { id: conversationIdOf(conversation) },
        { conversationContext: expectedConversation(conversation) },
      );
    case 'many':
    case 'fifty':
      return post(
        'Sites',
        { ids: sites.map(siteIdOf) },
        { sites: sites.map((one) => expectedSite(one, level)) },
      );
  }
}

function post(operationName: keyof typeof documents, variables: object, data: object): Operation {
  return {
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ operationName, query: documents[operationName], variables }),
    expected: { data },
  };
}
