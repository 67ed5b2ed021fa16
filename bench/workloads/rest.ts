import { conversationOf } from '../fixtures/conversations.ts';
import { conversationPathOf, sitePathOf } from '../fixtures/resources.ts';
import { siteOf, type Variant } from '../fixtures/sites.ts';
import type { Operation } from './requests.ts';
import type { Lookup, WorkloadId } from './workloads.ts';

/** A call of the REST API itself, or of a proxy that changes nothing. */
export function restRequest(
  workload: WorkloadId,
  { sites: [site = 0], conversation = 0 }: Lookup,
): Operation {
  const get = (include: Variant): Operation => ({
    method: 'GET',
    path: `${sitePathOf(site)}${include && `?include=${include}`}`,
    expected: siteOf(site, include),
  });
  switch (workload) {
    case 'site':
      return get('');
    case 'clients':
    case 'mix':
    case 'tls':
    case 'hundred':
      return get('clients');
    case 'messages':
    case 'thread':
      return {
        method: 'GET',
        path: conversationPathOf(conversation),
        expected: conversationOf(conversation),
      };
    default:
      throw new Error(`${workload} is no single REST call`);
  }
}
