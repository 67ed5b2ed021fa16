import type { Ttl } from '../../upstream/cache-control.ts';
import type { Caller } from '../../upstream/caller.ts';
import { bestOf, type CacheStore } from '../cache/index.ts';
import { MAX_BODY_BYTES, type RedisConnection } from './connection.ts';
import { createEncryption } from './encryption.ts';

/**
 * A cache in Redis for all gateways that use it, encrypted. While Redis is down it is empty. An entry expires
 * by the shorter of the TTL that it was stored with and `ttl`: a lowered setting takes effect at once.
 */
export function createCacheStore(redis: RedisConnection, ttl: Ttl): CacheStore {
  const { nameOf, encrypt, decrypt } = createEncryption();
  const namesOf = (caller: Caller, paths: readonly string[]) => paths.map((path) => nameOf(caller, path));

  return {
    async get(caller, paths) {
      const names = namesOf(caller, paths);
      const reply: unknown = await redis.run((client) => client.mgetBuffer(...names));
      const encrypted: unknown[] = Array.isArray(reply) ? reply : [];
      const entries = names.map((name, n) => {
        const entry = decrypt(caller, name, encrypted[n]);
        return entry && { ...entry, ttl: shorterTtl(entry.ttl, ttl) };
      });
      return bestOf(entries);
    },

    set(caller, path, entry) {
      if (entry.body.length > MAX_BODY_BYTES) return;
      const name = nameOf(caller, path);
      const ttlMs = Math.ceil(entry.ttl.freshMs + entry.ttl.staleMs);
      void redis.run((client) => client.set(name, encrypt(caller, name, entry), 'PX', ttlMs));
    },

    delete(caller, paths) {
      void redis.run((client) => client.del(...namesOf(caller, paths)));
    },
  };
}

function shorterTtl(one: Ttl, other: Ttl): Ttl {
  return {
    freshMs: Math.min(one.freshMs, other.freshMs),
    staleMs: Math.min(one.staleMs, other.staleMs),
  };
}
