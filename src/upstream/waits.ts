import { LRUCache } from 'lru-cache';

/** Who has to wait, and for how long; of 10,000 names, those that came first go first. */
export interface Waits {
  /** Of several waits the longest holds. */
  extend(name: string, ms: number): void;
  /** 0 for whoever need not wait. */
  leftMs(name: string): number;
  /** Whether certainly nobody has to wait. */
  isOver(): boolean;
  /** How many have to. */
  count(): number;
  /** Everyone who has to wait, and for how long. */
  all(): [name: string, ms: number][];
}

const MAX_WAITS = 10_000;

export function createWaits(): Waits {
  const waiting = new LRUCache<string, true>({ max: MAX_WAITS, ttl: 1, ttlResolution: 0 });
  const leftMs = (name: string) => Math.max(0, waiting.getRemainingTTL(name));
  let lastEndsAt = 0;
  return {
    extend(name, ms) {
      if (ms <= leftMs(name)) return;
      waiting.set(name, true, { ttl: ms });
      lastEndsAt = Math.max(lastEndsAt, performance.now() + ms);
    },
    leftMs,
    count() {
      waiting.purgeStale();
      return waiting.size;
    },
    isOver: () => performance.now() > lastEndsAt,
    all: () => [...waiting.keys()].map((name): [string, number] => [name, leftMs(name)]),
  };
}

/** Whole seconds, at least what is left. */
export function secondsFromMs(ms: number): number {
  return Math.ceil(ms / 1000);
}
