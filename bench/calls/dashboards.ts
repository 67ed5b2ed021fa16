import { drawn, randomFrom } from '../fixtures/draw.ts';

export const SITES = 500;
export const KEYS = 100;
const SITES_EACH = 3;

/** One partner opens one conversation. */
export interface Dashboard {
  key: string;
  conversationId: string;
}

/**
 * Who sees which sites. `all`: every key all of them, so that two operations seldom ask alike. `own`: each key
 * five of its own, as partners have them.
 */
export type Ownership = 'all' | 'own';

/** Dashboards as they are opened one after the other, the same for the same seed: the nth site is drawn 1/n as often as the first. */
export function* dashboards(ownership: Ownership, seed: number): Generator<Dashboard, never> {
  const random = randomFrom(seed);
  for (;;) {
    const first = drawn(SITES, random);
    const owner = ownership === 'own' ? first % KEYS : Math.floor(random() * KEYS);
    const sites = new Set([first]);
    while (sites.size < SITES_EACH) {
      sites.add(ownership === 'own' ? owner + KEYS * drawn(SITES / KEYS, random) : drawn(SITES, random));
    }
    yield { key: `bench-key-${owner}`, conversationId: conversationIdOf([...sites].sort((a, b) => a - b)) };
  }
}

/** The id tells which sites the conversation is about, so that the upstream need not remember. */
function conversationIdOf(sites: readonly number[]): string {
  return `00000000-0000-4000-8000-${sites.map((site) => site.toString(16).padStart(4, '0')).join('')}`;
}

export function sitesOf(conversationId: string): number[] {
  return (conversationId.slice(-12).match(/.{4}/g) ?? []).map((hex) => Number.parseInt(hex, 16));
}
