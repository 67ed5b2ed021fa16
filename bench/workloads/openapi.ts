import { conversationIdOf, siteIdOf } from '../fixtures/ownership.ts';
import type { Question } from './dialects.ts';
import { clientsView, dashboardView, siteView } from './views.ts';
import type { Ask, WorkloadId } from './workloads.ts';

// Made from operation ids, and `include` is the caller's to give: the generated schema does not know what it expands.
const site = 'id address1 city serviceLevel';
const clients = 'clients { id name emails { value isPrimary } }';

const dashboard = `query Dashboard($id: String!) {
  getConversationContext(id: $id) {
    subject
    status
    messages { author createdAt text }
    sites { address serviceLevel site { ${site} ${clients} projects { id name stage } } }
  }
}`;

const level = (label: string) => label.replaceAll(' ', '_');

/** Asks a contender whose schema is generated from the OpenAPI document. */
export function openapiQuestion(workload: WorkloadId, { partner, sites }: Ask): Question {
  const [first = 0] = sites;
  switch (workload) {
    case 'site': {
      const query = `query Site($id: String!) { getSite(id: $id) { ${site} } }`;
      return post(query, { id: siteIdOf(first) }, { getSite: siteView(first, level) });
    }
    case 'clients':
    case 'mix': {
      const query = `query Clients($id: String!) { getSite(id: $id, include: "clients") { ${site} ${clients} } }`;
      return post(query, { id: siteIdOf(first) }, { getSite: clientsView(first, level) });
    }
    case 'dashboard': {
      const data = { getConversationContext: dashboardView(partner, sites, level) };
      return post(dashboard, { id: conversationIdOf(partner) }, data);
    }
    case 'many':
      return post(...many(sites));
  }
}

/** There is no operation for several sites, so it is one field for each. */
function many(sites: readonly number[]): [query: string, variables: object, data: object] {
  const names = sites.map((_, nth) => `s${nth}`);
  const declared = names.map((name) => `$${name}: String!`).join(', ');
  const fields = names.map((name) => `${name}: getSite(id: $${name}) { ${site} }`).join('\n');
  return [
    `query Sites(${declared}) {\n${fields}\n}`,
    Object.fromEntries(names.map((name, nth) => [name, siteIdOf(sites[nth] ?? 0)])),
    Object.fromEntries(names.map((name, nth) => [name, siteView(sites[nth] ?? 0, level)])),
  ];
}

function post(query: string, variables: object, data: object): Question {
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }), expected: { data } };
}
