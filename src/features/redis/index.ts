import type { Config } from '../../config.ts';
import { createCacheStore } from './cache-store.ts';
import { createRedisConnection } from './connection.ts';
import { createSharedGate } from './shared-gate.ts';
import { createSharedPolls } from './shared-polls.ts';

interface RedisOptions extends Pick<Config, 'upstream' | 'live'> {
  /** Called with what the operator should know. */
  onFault(fault: Error): void;
}

/**
 * Redis or Valkey, by which gateways share cached responses, rate limits and polls; undefined for none.
 * Connects with the first command.
 */
export function redis({ upstream, live, onFault }: RedisOptions) {
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
