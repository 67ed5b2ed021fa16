import type { RedisConnection } from '../redis.ts';
import { bestOf, type Cache, type CacheEntry } from './cache.ts';
import { createCacheEncryption } from './cache-encryption.ts';
import { shorterTtl, type Ttl } from './ttl.ts';

/** A larger body could take longer than the time limit of a command, which marks Redis as down for every request. */
const MAX_BODY_BYTES = 1_048_576;

/**
 * A cache in Redis for all gateways that use it, encrypted. While Redis is down it is empty. An entry expires by the
 * shorter of the TTL that it was stored with and `ttl`: a lowered setting takes effect at once.
 */
export function createSharedCache(redis: RedisConnection, ttl: Ttl): Cache {
  const encryption = createCacheEncryption();
  return {
    async get(caller, paths) {
      const names = paths.map((path) => encryption.nameOf(caller, path));
      const encrypted = await redis.run((client) => client.mgetBuffer(...names));
      return bestOf(names.map((name, n) => decrypted(name, encrypted?.[n])));

      function decrypted(name: string, bytes: Buffer | null | undefined): CacheEntry | undefined {
        const entry = bytes ? encryption.decrypt(caller, name, bytes) : undefined;
        return entry && { ...entry, ttl: shorterTtl(entry.ttl, ttl) };
      }
    },

    set(caller, path, entry) {
      if (entry.body.length > MAX_BODY_BYTES) return;
      const name = encryption.nameOf(caller, path);
      const ttlMs = Math.ceil(entry.ttl.freshMs + entry.ttl.staleMs);
      void redis.run((client) => client.set(name, encryption.encrypt(caller, name, entry), 'PX', ttlMs));
    },

    delete(caller, paths) {
      const names = paths.map((path) => encryption.nameOf(caller, path));
      void redis.run((client) => client.del(...names));
    },
  };
}
