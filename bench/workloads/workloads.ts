import {
  conversationOfPartner,
  KEYS,
  LARGE_PARTNERS,
  largeSiteOf,
  SITES_PER_KEY,
  sitesOf,
} from '../fixtures/ownership.ts';
import { seededRandom, zipf } from '../fixtures/random.ts';

export type WorkloadId =
  | 'site'
  | 'clients'
  | 'dashboard'
  | 'many'
  | 'mix'
  | 'unseen'
  | 'tls'
  | 'hundred'
  | 'messages'
  | 'thread'
  | 'fifty';

/** What one operation reads: sites or a conversation of one partner. */
export interface Lookup {
  partner: number;
  sites: readonly number[];
  conversation?: number;
}

/** The operations that every contender is sent, in this order and from the start again. */
export interface Workload {
  id: WorkloadId;
  short: string;
  title: string;
  lookups: readonly Lookup[];
  /** REST calls that one operation needs. */
  restCalls: number;
  /** Delay of the upstream, so that equal calls overlap. */
  upstreamDelayMs: number;
  /** Whether the upstream uses TLS. */
  isTls: boolean;
  /** Whether every request has a document text of its own. */
  isUnseen: boolean;
}

const MIX_SITES = 500;
const MIX_LENGTH = 20_000;

// One site after the other, so that no two equal calls overlap: coalescing is measured by the mix.
const oneEach: Lookup[] = Array.from({ length: MIX_SITES }, (_, site) => ({
  partner: site % KEYS,
  sites: [site],
}));
const partners = Array.from({ length: KEYS }, (_, partner) => partner);
const largePartners = partners.slice(0, LARGE_PARTNERS);

/** The nth conversation of each partner that has large ones. */
function largeConversations(nth: number): Lookup[] {
  return largePartners.map((partner) => ({
    partner,
    sites: [],
    conversation: conversationOfPartner(partner, nth),
  }));
}

/** Sites and their owners, Zipf distributed: as partners have them, each key has sites of its own. */
function mixed(): Lookup[] {
  const random = seededRandom(1);
  return Array.from({ length: MIX_LENGTH }, () => {
    const site = zipf(MIX_SITES, random);
    return { partner: site % KEYS, sites: [site] };
  });
}

const simple = { lookups: oneEach, restCalls: 1, upstreamDelayMs: 0, isTls: false, isUnseen: false };

export const workloads: readonly Workload[] = [
  { ...simple, id: 'site', short: 'w1', title: 'a bare site' },
  { ...simple, id: 'clients', short: 'w2', title: 'a site with its clients' },
  {
    ...simple,
    id: 'dashboard',
    short: 'w3',
    title: 'a conversation and its 3 sites with clients and projects',
    lookups: partners.map((partner) => ({ partner, sites: sitesOf(partner, 3) })),
    restCalls: 4,
  },
  {
    ...simple,
    id: 'many',
    short: 'w4',
    title: '20 sites by their ids',
    lookups: partners.map((partner) => ({ partner, sites: sitesOf(partner, 20) })),
    restCalls: 20,
  },
  {
    ...simple,
    id: 'mix',
    short: 'w5',
    title: 'sites with clients, a Zipf mix of 500 over 100 keys',
    lookups: mixed(),
    upstreamDelayMs: 4,
  },
  {
    ...simple,
    id: 'unseen',
    short: 'w6',
    title: 'w2, each request with a document never sent before',
    isUnseen: true,
  },
  { ...simple, id: 'tls', short: 'w7', title: 'w2 with an upstream over TLS', isTls: true },
  {
    ...simple,
    id: 'hundred',
    short: 'w8',
    title: 'a site with its 100 clients',
    lookups: largePartners.map((partner) => ({ partner, sites: [largeSiteOf(partner)] })),
  },
  {
    ...simple,
    id: 'messages',
    short: 'w9',
    title: 'a conversation of 300 messages',
    lookups: largeConversations(1),
  },
  {
    ...simple,
    id: 'thread',
    short: 'w10',
    title: 'a conversation of 3,000 messages',
    lookups: largeConversations(2),
  },
  {
    ...simple,
    id: 'fifty',
    short: 'w11',
    title: '50 sites by their ids',
    lookups: partners.map((partner) => ({ partner, sites: sitesOf(partner, SITES_PER_KEY) })),
    restCalls: SITES_PER_KEY,
  },
];

/** The workload of that id. */
export function workloadOf(id: WorkloadId): Workload {
  const workload = workloads.find((candidate) => candidate.id === id);
  if (!workload) throw new Error(`there is no workload ${id}`);
  return workload;
}
