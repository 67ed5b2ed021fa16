import type { Layer } from '../../rest/call.ts';
import type { Ttl } from './cache-control.ts';
import { caching } from './layer.ts';
import { createMemoryStore, type SharedStore } from './store.ts';

export type { Ttl } from './cache-control.ts';
export { cacheConfig, cacheSettings } from './settings.ts';
export { staleData } from './stale.ts';
export { type CacheEntry, isFresh, type SharedStore } from './store.ts';

interface CacheConfig {
  cache: { ttl: Ttl; maxBytes: number };
}

/** The layer that responds with entries of memory, and those of `shared` behind it; none if nothing is stored. */
export function responseCache({ upstream }: { upstream: CacheConfig }, shared?: SharedStore): Layer[] {
  const { ttl, maxBytes } = upstream.cache;
  if (ttl.freshMs + ttl.staleMs === 0) return [];
  return [caching(createMemoryStore(maxBytes), ttl, shared)];
}
