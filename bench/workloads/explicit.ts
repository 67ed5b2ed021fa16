import { conversationIdOf, siteIdOf } from '../fixtures/ownership.ts';
import type { Question } from './dialects.ts';
import { clientsView, dashboardView, siteView } from './views.ts';
import type { Ask, WorkloadId } from './workloads.ts';

/** What differs between schemas that do not know what `include` expands, so that who asks has to give it. */
interface Names {
  site: string;
  conversation: string;
  id: string;
  level(label: string): string;
}

const bare = 'id address1 city serviceLevel';
const clients = 'clients { id name emails { value isPrimary } }';

/** How to ask a contender with such a schema. */
export function createExplicitQuestion(names: Names) {
  const { site, conversation, id, level } = names;
  const documents = {
    site: `query Site($id: ${id}!) { ${site}(id: $id) { ${bare} } }`,
    clients: `query Clients($id: ${id}!) { ${site}(id: $id, include: "clients") { ${bare} ${clients} } }`,
    dashboard: `query Dashboard($id: ${id}!) {
  ${conversation}(id: $id) {
    subject
    status
    messages { author createdAt text }
    sites { address serviceLevel site { ${bare} ${clients} projects { id name stage } } }
  }
}`,
  };
  return (workload: WorkloadId, { partner, sites }: Ask): Question => {
    const [first = 0] = sites;
    switch (workload) {
      case 'site':
        return post(documents.site, { id: siteIdOf(first) }, { [site]: siteView(first, level) });
      case 'clients':
      case 'mix':
        return post(documents.clients, { id: siteIdOf(first) }, { [site]: clientsView(first, level) });
      case 'dashboard': {
        const data = { [conversation]: dashboardView(partner, sites, level) };
        return post(documents.dashboard, { id: conversationIdOf(partner) }, data);
      }
      case 'many':
        return many(sites, names);
    }
  };
}

/** There is no field for several sites, so it is one for each. */
function many(sites: readonly number[], { site, id, level }: Names): Question {
  const named = sites.map((number, nth) => [`s${nth}`, number] as const);
  const declared = named.map(([name]) => `$${name}: ${id}!`).join(', ');
  const fields = named.map(([name]) => `${name}: ${site}(id: $${name}) { ${bare} }`).join('\n');
  return post(
    `query Sites(${declared}) {\n${fields}\n}`,
    Object.fromEntries(named.map(([name, number]) => [name, siteIdOf(number)])),
    Object.fromEntries(named.map(([name, number]) => [name, siteView(number, level)])),
  );
}

function post(query: string, variables: object, data: object): Question {
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }), expected: { data } };
}
