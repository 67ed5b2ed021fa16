import type { Ttl } from '../../upstream/cache-control.ts';
import { createCacheStore } from './cache-store.ts';
import { createRedisConnection } from './connection.ts';
import { createSharedGate } from './shared-gate.ts';
import { createSharedPolls } from './shared-polls.ts';

export { redisConfig, redisSettings } from './settings.ts';

interface RedisConfig {
  upstream: { redisUrl: string | null; timeoutMs: number; cache: { ttl: Ttl } };
  /** Null: no live queries, which share polls. */
  live: object | null;
}

/**
 * Redis or Valkey, by which gateways share cached responses, rate limits and polls; undefined for none.
 * Connects with the first command.
 */
export function redis({ upstream, live }: RedisConfig, onFault: (fault: Error) => void) {
  const { redisUrl, timeoutMs, cache } = upstream;
  if (redisUrl === null) return undefined;
  const connection = createRedisConnection(redisUrl, onFault);
  const sharedGate = createSharedGate(connection);
  const sharedPolls = live ? createSharedPolls(connection, timeoutMs) : undefined;
  return {
    sharedGate,
    sharedPolls,
    /** Only a cache that is on has one. */
    cacheStore: () => createCacheStore(connection, cache.ttl),
    join: () => Promise.all([sharedGate.subscribe(), sharedPolls?.subscribe()]),
    close: connection.close,
  };
}
