import { sitePathOf } from '../fixtures/answers.ts';
import { siteOf } from '../fixtures/sites.ts';
import type { Question } from './dialects.ts';
import type { Ask, WorkloadId } from './workloads.ts';

/** Asks the REST API itself, or what stands before it and changes nothing: one call for one operation. */
export function restQuestion(workload: WorkloadId, { sites: [site = 0] }: Ask): Question {
  switch (workload) {
    case 'site':
      return { method: 'GET', path: sitePathOf(site), expected: siteOf(site, '') };
    case 'clients':
    case 'mix':
      return {
        method: 'GET',
        path: `${sitePathOf(site)}?include=clients`,
        expected: siteOf(site, 'clients'),
      };
    default:
      throw new Error(`${workload} is more than one REST call`);
  }
}
