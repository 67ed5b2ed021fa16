import type { Values } from '../../config/declaration.ts';
import { redisUrl } from '../../config/kinds.ts';
import type { Ttl } from '../cache/index.ts';
import { createRedisConnection } from './connection.ts';
import { sharedGates } from './gates.ts';
import { createSealedStore } from './sealed-store.ts';

export const redisSettings = {
  CACHE_URL: redisUrl().describe(
    'Redis or Valkey through which gateways share cached responses, encrypted, and the rate limits of keys; unset: not shared',
  ),
};

/** Null: this gateway shares nothing. */
export const redisConfig = (values: Values<typeof redisSettings>) => ({ redisUrl: values.CACHE_URL ?? null });

interface RedisConfig {
  upstream: { redisUrl: string | null; url: URL | null; cache: { ttl: Ttl } };
}

/** The state that gateways before one REST API share, if they keep responses for the same time. */
export function redis({ upstream }: RedisConfig, onFault: (fault: Error) => void) {
  const { redisUrl, url, cache } = upstream;
  if (redisUrl === null) return { store: undefined, outer: [], inner: [], close: undefined };
  const connection = createRedisConnection(redisUrl, onFault);
  const { freshMs, staleMs } = cache.ttl;
  const store = createSealedStore(connection, `${freshMs} ${staleMs} ${url}`);
  return { store, ...sharedGates(store), close: connection.close };
}
