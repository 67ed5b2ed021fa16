import { drawn, randomFrom } from '../fixtures/draw.ts';
import { KEYS, SITES_PER_KEY, sitesOf } from '../fixtures/ownership.ts';

export type WorkloadId = 'site' | 'clients' | 'dashboard' | 'many' | 'mix';

/** Who asks, and for which sites. */
export interface Ask {
  partner: number;
  sites: readonly number[];
}

/** What every contender is asked, one after the other and from the start again. */
export interface Workload {
  id: WorkloadId;
  short: string;
  title: string;
  asks: readonly Ask[];
  /** How many REST calls one operation is worth. */
  restCalls: number;
  /** Whether the upstream takes its time even at saturation, so that equal calls meet. */
  isDelayed: boolean;
}

const MIX_SITES = 500;
const MIX_LENGTH = 20_000;

// One site after the other, so that no two equal calls are under way together: what is shared is the mix's question.
const oneEach: Ask[] = Array.from({ length: MIX_SITES }, (_, site) => ({
  partner: site % KEYS,
  sites: [site],
}));
const partners = Array.from({ length: KEYS }, (_, partner) => partner);

/** A site and who owns it, drawn by Zipf's law: as partners have them, each key has sites of its own. */
function mixed(): Ask[] {
  const random = randomFrom(1);
  return Array.from({ length: MIX_LENGTH }, () => {
    const site = drawn(MIX_SITES, random);
    return { partner: site % KEYS, sites: [site] };
  });
}

export const workloads: readonly Workload[] = [
  {
    id: 'site',
    short: 'w1',
    title: 'a bare site',
    asks: oneEach,
    restCalls: 1,
    isDelayed: false,
  },
  {
    id: 'clients',
    short: 'w2',
    title: 'a site with its clients',
    asks: oneEach,
    restCalls: 1,
    isDelayed: false,
  },
  {
    id: 'dashboard',
    short: 'w3',
    title: 'a conversation and its 3 sites with clients and projects',
    asks: partners.map((partner) => ({ partner, sites: sitesOf(partner, 3) })),
    restCalls: 4,
    isDelayed: false,
  },
  {
    id: 'many',
    short: 'w4',
    title: '20 sites by their ids',
    asks: partners.map((partner) => ({ partner, sites: sitesOf(partner, SITES_PER_KEY) })),
    restCalls: 20,
    isDelayed: false,
  },
  {
    id: 'mix',
    short: 'w5',
    title: 'sites with clients, a Zipf mix of 500 over 100 keys',
    asks: mixed(),
    restCalls: 1,
    isDelayed: true,
  },
];

/** The workload of that id. */
export function workloadOf(id: WorkloadId): Workload {
  const workload = workloads.find((candidate) => candidate.id === id);
  if (!workload) throw new Error(`there is no workload ${id}`);
  return workload;
}
