/** The cache of the responses of the REST API. */
export { cacheConfig, cacheMemorySettings, cacheSettings } from './settings.ts';
