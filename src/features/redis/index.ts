import type { Ttl } from '../../upstream/cache-control.ts';
import { createCacheStore } from './cache-store.ts';
import { type ChannelSubscriber, createRedisConnection } from './connection.ts';
import { createSharedGate } from './shared-gate.ts';
import { createSharedPolls } from './shared-polls.ts';

export { redisConfig, redisSettings } from './settings.ts';

interface RedisConfig {
  upstream: { redisUrl: string | null; timeoutMs: number; cache: { ttl: Ttl } };
}

/** What gateways share through Redis or Valkey; undefined for none. Connects with the first command. */
export function redis({ upstream }: RedisConfig, onFault: (fault: Error) => void) {
  const { redisUrl, timeoutMs, cache } = upstream;
  if (redisUrl === null) return undefined;
  const connection = createRedisConnection(redisUrl, onFault);
  const sharedGate = createSharedGate(connection);
  const subscribers: ChannelSubscriber[] = [sharedGate];
  return {
    sharedGate,
    // Only a feature that is on asks for its own.
    cacheStore: () => createCacheStore(connection, cache.ttl),
    sharedPolls() {
      const polls = createSharedPolls(connection, timeoutMs);
      subscribers.push(polls);
      return polls;
    },
    join: () => Promise.all(subscribers.map((one) => one.subscribe())),
    close: connection.close,
  };
}
