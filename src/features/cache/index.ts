import type { Config } from '../../config.ts';
import type { Layer } from '../../upstream/call.ts';
import { caching } from './layer.ts';
import { createMemoryStore } from './memory-store.ts';
import type { CacheStore } from './store.ts';

export { bestOf, type CacheEntry, type CacheStore } from './store.ts';

/**
 * The layer that responds with stored responses in place of calls; null where none is stored. They are in
 * `store`, or else in the memory of this process.
 */
export function responseCache(
  { upstream }: Pick<Config, 'upstream'>,
  store?: () => CacheStore,
): Layer | null {
  const { ttl, maxBytes } = upstream.cache;
  if (ttl.freshMs + ttl.staleMs === 0) return null;
  return caching(store?.() ?? createMemoryStore(maxBytes), ttl);
}
