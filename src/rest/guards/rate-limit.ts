import { LRUCache } from 'lru-cache';
import type { KeyHolder } from '../caller.ts';

/** The cool-down of keys whose rate limit is exceeded: no call is sent for them until it is over. */
export type RateLimitGate = ReturnType<typeof createRateLimitGate>;

/** Of more keys the oldest are dropped. */
const MAX_KEYS = 10_000;

export function createRateLimitGate() {
  const closed = new LRUCache<string, true>({ max: MAX_KEYS, ttl: 1, ttlResolution: 0 });
  let lastOpensAtMs = 0;

  return {
    /** Closes the gate of a key; of several closures the longest counts. */
    close({ keyHash }: KeyHolder, seconds: number): void {
      const ms = seconds * 1000;
      if (ms <= closed.getRemainingTTL(keyHash)) return;
      closed.set(keyHash, true, { ttl: ms });
      lastOpensAtMs = Math.max(lastOpensAtMs, performance.now() + ms);
    },
    /** Whole seconds until the gate of the key opens, rounded up; 0 if it is open, as most gates are. */
    secondsClosed: ({ keyHash }: KeyHolder) =>
      performance.now() > lastOpensAtMs ? 0 : Math.ceil(Math.max(0, closed.getRemainingTTL(keyHash)) / 1000),
    /** How many gates are closed. */
    count(): number {
      closed.purgeStale();
      return closed.size;
    },
  };
}
