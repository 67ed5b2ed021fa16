export type { Ttl } from './cache-control.ts';
export { responseCache } from './layer.ts';
export { cacheConfig, cacheSettings } from './settings.ts';
export { staleData } from './stale.ts';
export { type CacheEntry, isFresh, type SharedStore } from './store.ts';
