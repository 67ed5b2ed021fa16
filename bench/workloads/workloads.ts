import { FIRST_LARGE_SITE, KEYS, sitesOf } from '../fixtures/sites.ts';
import { CONNECTIONS } from './connections.ts';
import { type Operation, readClients, readMessages, readSites } from './operations.ts';

export type WorkloadId = 'w2' | 'w4' | 'w6' | 'w8' | 'w9' | 'w10';

/**
 * The operations that every contender is sent. They are dealt to the connections, so that no two equal REST calls are in
 * flight at a time: there is at least one for each connection.
 */
export interface Workload {
  id: WorkloadId;
  title: string;
  /** The REST calls that one operation needs. */
  restCalls: number;
  /** How many operations there are; the nth of them is `operation(n)`. */
  count: number;
  operation(nth: number): Operation;
  /** Every request has a document text of its own. */
  isUnseen: boolean;
}

/** The sites that w2 and w6 read one after the other. */
const MANY = 2000;

const simple = { restCalls: 1, count: CONNECTIONS, isUnseen: false };

export const workloads: readonly Workload[] = [
  { ...simple, id: 'w2', title: 'a site with its clients', count: MANY, operation: readClients },
  {
    ...simple,
    id: 'w4',
    title: '20 sites by their ids',
    restCalls: 20,
    count: KEYS,
    operation: (partner) => readSites(sitesOf(partner, 20)),
  },
  {
    ...simple,
    id: 'w6',
    title: 'a new document each time',
    count: MANY,
    operation: readClients,
    isUnseen: true,
  },
  { ...simple, id: 'w8', title: '100 clients', operation: (nth) => readClients(FIRST_LARGE_SITE + nth) },
  { ...simple, id: 'w9', title: '300 messages', operation: (partner) => readMessages(partner, 300) },
  { ...simple, id: 'w10', title: '3,000 messages', operation: (partner) => readMessages(partner, 3000) },
];

/** The workload of that id. */
export function workloadOf(id: WorkloadId): Workload {
  const workload = workloads.find((candidate) => candidate.id === id);
  if (!workload) throw new Error(`there is no workload ${id}`);
  return workload;
}
