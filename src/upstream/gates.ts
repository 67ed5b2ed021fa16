import { LRUCache } from 'lru-cache';

/** Keys whose rate limit is spent: until the REST API takes them again, asking it is of no use. */
export interface Gates {
  close(owner: string, seconds: number): void;
  /** Whole seconds until the key's gate opens; 0 where it is open. */
  secondsClosed(owner: string): number;
  /** How many are closed now. */
  count(): number;
}

const MAX_GATES = 10_000;

export function createGates(): Gates {
  const closed = new LRUCache<string, true>({ max: MAX_GATES, ttl: 1, ttlResolution: 0 });
  return {
    close(owner, seconds) {
      // Of several refusals the longest holds.
      if (seconds * 1000 > closed.getRemainingTTL(owner)) closed.set(owner, true, { ttl: seconds * 1000 });
    },
    secondsClosed: (owner) => Math.max(0, Math.ceil(closed.getRemainingTTL(owner) / 1000)),
    count() {
      closed.purgeStale();
      return closed.size;
    },
  };
}
