import { LRUCache } from 'lru-cache';

/** Names that expire, each after its own time. Of more than 10,000 the oldest are dropped. */
export interface ExpiringMap {
  /** Adds a name for `ms`, or prolongs it; never shortens. */
  extend(name: string, ms: number): void;
  /** 0 for a name that is not there. */
  leftMs(name: string): number;
  /** True only if no name is there: cheaper than a look-up. */
  isEmpty(): boolean;
  count(): number;
  /** All names, each with the time that it has left. */
  entries(): [name: string, ms: number][];
}

const MAX_NAMES = 10_000;

export function createExpiringMap(): ExpiringMap {
  const names = new LRUCache<string, true>({ max: MAX_NAMES, ttl: 1, ttlResolution: 0 });
  const leftMs = (name: string) => Math.max(0, names.getRemainingTTL(name));
  let lastEndsAtMs = 0;
  return {
    extend(name, ms) {
      if (ms <= leftMs(name)) return;
      names.set(name, true, { ttl: ms });
      lastEndsAtMs = Math.max(lastEndsAtMs, performance.now() + ms);
    },
    leftMs,
    isEmpty: () => performance.now() > lastEndsAtMs,
    count() {
      names.purgeStale();
      return names.size;
    },
    entries: () => [...names.keys()].map((name): [string, number] => [name, leftMs(name)]),
  };
}

/** Rounded up. */
export function secondsFromMs(ms: number): number {
  return Math.ceil(ms / 1000);
}
