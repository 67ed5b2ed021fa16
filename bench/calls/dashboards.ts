import { seededRandom, zipf } from '../fixtures/random.ts';
import type { Respond } from '../upstream/node.ts';

export const SITES = 500;
export const KEYS = 100;
const SITES_EACH = 3;

/** One partner opens one conversation. */
interface Dashboard {
  key: string;
  conversationId: string;
}

/**
 * Which sites a key reads. `all`: every key reads all of them, so that equal calls are rare. `own`: each key has five of
 * its own, as partners have them.
 */
export type Ownership = 'all' | 'own';

/** Dashboards in the order in which they are opened, the same for the same seed. Sites are Zipf distributed. */
export function* dashboards(ownership: Ownership, seed: number): Generator<Dashboard, never> {
  const random = seededRandom(seed);
  for (;;) {
    const first = zipf(SITES, random);
    const owner = ownership === 'own' ? first % KEYS : Math.floor(random() * KEYS);
    const sites = new Set([first]);
    while (sites.size < SITES_EACH) {
      sites.add(ownership === 'own' ? owner + KEYS * zipf(SITES / KEYS, random) : zipf(SITES, random));
    }
    yield { key: `bench-key-${owner}`, conversationId: conversationIdOf([...sites].sort((a, b) => a - b)) };
  }
}

/** The id contains the numbers of its sites, so that the upstream needs no list of conversations. */
function conversationIdOf(sites: readonly number[]): string {
  return `00000000-0000-4000-8000-${sites.map((site) => site.toString(16).padStart(4, '0')).join('')}`;
}

function sitesOf(conversationId: string): number[] {
  return (conversationId.slice(-12).match(/.{4}/g) ?? []).map((hex) => Number.parseInt(hex, 16));
}

/** A REST API that has every site and conversation. */
export const respond: Respond = (_, path, include) => {
  const [, , kind, id = ''] = path.split('/');
  return Buffer.from(JSON.stringify(kind === 'site' ? site(id, include) : conversation(id)));
};

const three = [0, 1, 2];

function site(id: string, include: string): object {
  const address = { address1: '1 Orchard Lane', address2: null, city: 'Bend', state: 'OR', zip: '97701' };
  return {
    id,
    ...address,
    serviceLevel: 'Signature',
    businessName: `Orchard of ${id}`,
    ...(include.includes('clients') && {
      clients: three.map((n) => ({ id: `${n}`, name: `Resident ${n}` })),
    }),
    ...(include.includes('projects') && {
      projects: three.map((n) => ({ id: `${n}`, name: `Project ${n}` })),
    }),
  };
}

function conversation(id: string): object {
  return {
    subject: 'The heat pump hums',
    status: 'open',
    messages: three.map((n) => ({
      author: `Resident ${n}`,
      text: 'It does so again, at night most of all.',
    })),
    sites: sitesOf(id).map((n) => ({ id: `SITE-${n}`, address: `${n} Orchard Lane` })),
  };
}
