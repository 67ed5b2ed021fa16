export { responseCache } from './layer.ts';
export { cacheConfig, cacheSettings } from './settings.ts';
export { staleData } from './stale.ts';
export { type CacheEntry, isFresh, type SharedStore, type Ttl } from './store.ts';
