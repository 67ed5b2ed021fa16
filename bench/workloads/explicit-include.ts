import { conversationIdOf, siteIdOf } from '../fixtures/ownership.ts';
import { expectedClients, expectedConversation, expectedDashboard, expectedSite } from './expected.ts';
import type { Operation } from './requests.ts';
import type { Lookup, WorkloadId } from './workloads.ts';

/** The names of a schema that does not derive `include` from the selection, so that the client has to send it. */
interface Names {
  site: string;
  conversation: string;
  id: string;
  level(label: string): string;
}

const bare = 'id address1 city serviceLevel';
const clients = 'clients { id name emails { value isPrimary } }';

/** Creates requests to a contender with such a schema. */
export function createExplicitIncludeRequest(names: Names) {
  const { site, conversation, id, level } = names;
  const documents = {
    site: `query Site($id: ${id}!) { ${site}(id: $id) { ${bare} } }`,
    clients: `query Clients($id: ${id}!) { ${site}(id: $id, include: "clients") { ${bare} ${clients} } }`,
    messages: `query Messages($id: ${id}!) {
  ${conversation}(id: $id) { subject status messages { author createdAt text } }
}`,
    dashboard: `query Dashboard($id: ${id}!) {
  ${conversation}(id: $id) {
    subject
    status
    messages { author createdAt text }
    sites { address serviceLevel site { ${bare} ${clients} projects { id name stage } } }
  }
}`,
  };
  return (workload: WorkloadId, { partner, sites, conversation: number = partner }: Lookup): Operation => {
    const [first = 0] = sites;
    switch (workload) {
      case 'site':
        return post(documents.site, { id: siteIdOf(first) }, { [site]: expectedSite(first, level) });
      case 'clients':
      case 'mix':
      case 'unseen':
      case 'tls':
      case 'hundred':
        return post(documents.clients, { id: siteIdOf(first) }, { [site]: expectedClients(first, level) });
      case 'dashboard': {
        const data = { [conversation]: expectedDashboard(partner, sites, level) };
        return post(documents.dashboard, { id: conversationIdOf(partner) }, data);
      }
      case 'messages':
      case 'thread': {
        const data = { [conversation]: expectedConversation(number) };
        return post(documents.messages, { id: conversationIdOf(number) }, data);
      }
      case 'many':
      case 'fifty':
        return many(sites, names);
    }
  };
}

/** The schema has no field for several sites, so the operation has one for each. */
function many(sites: readonly number[], { site, id, level }: Names): Operation {
  const named = sites.map((number, nth) => [`s${nth}`, number] as const);
  const declared = named.map(([name]) => `$${name}: ${id}!`).join(', ');
  const fields = named.map(([name]) => `${name}: ${site}(id: $${name}) { ${bare} }`).join('\n');
  return post(
    `query Sites(${declared}) {\n${fields}\n}`,
    Object.fromEntries(named.map(([name, number]) => [name, siteIdOf(number)])),
    Object.fromEntries(named.map(([name, number]) => [name, expectedSite(number, level)])),
  );
}

function post(query: string, variables: object, data: object): Operation {
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }), expected: { data } };
}
