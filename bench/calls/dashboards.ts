import { conversationOf } from '../fixtures/conversations.ts';
import { siteNumberOf } from '../fixtures/ownership.ts';
import { seededRandom, zipf } from '../fixtures/random.ts';
import { siteOf, type Variant } from '../fixtures/sites.ts';
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

/** A REST API that has every site and conversation, for every key. */
export const respond: Respond = (_, path, include) => {
  const [, , kind, id = ''] = path.split('/');
  const json = kind === 'site' ? siteOf(siteNumberOf(id), include as Variant) : conversation(id);
  return Buffer.from(JSON.stringify(json));
};

function conversation(id: string) {
  const sites = (id.slice(-12).match(/.{4}/g) ?? []).map((hex) => Number.parseInt(hex, 16));
  return conversationOf(0, sites);
}
