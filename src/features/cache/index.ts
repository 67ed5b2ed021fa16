import type { Ttl } from '../../upstream/cache-control.ts';
import type { Layer } from '../../upstream/call.ts';
import { caching } from './layer.ts';
import { type CacheStore, createMemoryStore } from './store.ts';

export { cacheConfig, cacheMemorySettings, cacheSettings } from './settings.ts';
export { staleData } from './stale.ts';
export { bestOf, type CacheEntry, type CacheStore } from './store.ts';

interface CacheConfig {
  cache: { ttl: Ttl; maxBytes: number };
}

/** The layer that responds with entries of `store`, or else of memory; none where nothing is stored. */
export function responseCache({ upstream }: { upstream: CacheConfig }, store?: () => CacheStore): Layer[] {
  const { ttl, maxBytes } = upstream.cache;
  if (ttl.freshMs + ttl.staleMs === 0) return [];
  return [caching(store?.() ?? createMemoryStore(maxBytes), ttl)];
}
