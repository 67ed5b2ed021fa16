import type { Ttl } from '../../upstream/cache-control.ts';
import type { Layer } from '../../upstream/call.ts';
import { caching } from './layer.ts';
import { createMemoryStore } from './memory-store.ts';
import type { CacheStore } from './store.ts';

export { cacheConfig, cacheMemorySettings, cacheSettings } from './settings.ts';
export { staleData } from './stale.ts';
export { bestOf, type CacheEntry, type CacheStore } from './store.ts';

interface CacheConfig {
  cache: { ttl: Ttl; maxBytes: number };
}

/**
 * The layer that responds with stored responses in place of calls; none where none is stored. They are in
 * `store`, or else in the memory of this process.
 */
export function responseCache({ upstream }: { upstream: CacheConfig }, store?: () => CacheStore): Layer[] {
  const { ttl, maxBytes } = upstream.cache;
  if (ttl.freshMs + ttl.staleMs === 0) return [];
  return [caching(store?.() ?? createMemoryStore(maxBytes), ttl)];
}
