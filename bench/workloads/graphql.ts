import { conversationIdOf, siteIdOf } from '../fixtures/ownership.ts';
import type { Question } from './dialects.ts';
import { documents } from './documents.ts';
import { clientsView, dashboardView, siteView } from './views.ts';
import type { Ask, WorkloadId } from './workloads.ts';

const level = (label: string) => label.toUpperCase().replaceAll(' ', '_');

/** Asks a contender that serves the shared schema. */
export function graphqlQuestion(workload: WorkloadId, { partner, sites }: Ask): Question {
  const [site = 0] = sites;
  switch (workload) {
    case 'site':
      return post('Site', { id: siteIdOf(site) }, { site: siteView(site, level) });
    case 'clients':
    case 'mix':
      return post('Clients', { id: siteIdOf(site) }, { site: clientsView(site, level) });
    case 'dashboard':
      return post(
        'Dashboard',
        { id: conversationIdOf(partner) },
        { conversationContext: dashboardView(partner, sites, level) },
      );
    case 'many':
      return post('Sites', { ids: sites.map(siteIdOf) }, { sites: sites.map((one) => siteView(one, level)) });
  }
}

function post(operationName: keyof typeof documents, variables: object, data: object): Question {
  return {
    method: 'POST',
    path: '/graphql',
    body: JSON.stringify({ operationName, query: documents[operationName], variables }),
    expected: { data },
  };
}
