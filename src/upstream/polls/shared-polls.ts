import { createSharedCache } from '../cache/shared-cache.ts';
import type { Caller } from '../caller.ts';
import type { RedisConnection } from '../redis.ts';
import type { Target } from '../target.ts';

/**
 * The latest responses to the polls of all gateways that use one Redis, encrypted like the shared cache. What another
 * process polled within the interval is taken in place of a call.
 */
export interface SharedPolls {
  /** A body that is younger than `maxAgeMs`, and returns at least what the target does. */
  get(caller: Caller, target: Target, maxAgeMs: number): Promise<SharedBody | undefined>;
  set(caller: Caller, path: string, body: Buffer): void;
  /** After a 401, 403 or 404: no earlier response may stand in for it. */
  delete(caller: Caller, target: Target): void;
}

interface SharedBody {
  body: Buffer;
  ageMs: number;
}

/** Longer than any interval. */
const TTL = { freshMs: 7_200_000, staleMs: 0 };

export function createSharedPolls(redis: RedisConnection): SharedPolls {
  const cache = createSharedCache(redis, TTL);
  return {
    async get(caller, target, maxAgeMs) {
      const entry = await cache.get(caller, target.paths().map(nameOf));
      // Another machine's clock may be ahead: by more than an interval, its entries are not taken.
      const ageMs = entry ? Math.abs(Date.now() - entry.storedAtMs) : maxAgeMs;
      return entry && ageMs < maxAgeMs ? { body: entry.body, ageMs } : undefined;
    },
    set(caller, path, body) {
      cache.set(caller, nameOf(path), { body, storedAtMs: Date.now(), ttl: TTL });
    },
    delete: (caller, target) => cache.delete(caller, target.allPaths().map(nameOf)),
  };
}

/** No path begins so: the entries of the cache are others. */
function nameOf(path: string): string {
  return `live ${path}`;
}
