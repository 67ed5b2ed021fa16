import type { Values } from '../../config/declaration.ts';
import { wholeNumber } from '../../config/kinds.ts';

export const cacheSettings = {
  CACHE_TTL_MS: wholeNumber(0, 86_400_000, 0).describe(
    'Time that a cached response of the REST API is fresh; it serves the same key only; 0: never',
  ),
  CACHE_STALE_IF_ERROR_MS: wholeNumber(0, 604_800_000, 0).describe(
    'Time after `CACHE_TTL_MS` in which a cached response replaces a failed call',
  ),
  CACHE_MAX_BYTES: wholeNumber(1024, 17_179_869_184, 67_108_864).describe(
    'Maximum memory of the cached responses, per process',
  ),
};

export type CacheConfig = ReturnType<typeof cacheConfig>;

export function cacheConfig(values: Values<typeof cacheSettings>) {
  return {
    cache: {
      ttl: { freshMs: values.CACHE_TTL_MS, staleMs: values.CACHE_STALE_IF_ERROR_MS },
      maxBytes: values.CACHE_MAX_BYTES,
    },
  };
}
