import { LRUCache } from 'lru-cache';
import type { KeyHolder } from '../caller.ts';

/** The gate of a key, by its name, is closed for so many milliseconds. */
export type Closure = [name: string, ms: number];

/** Where a gate closes in every gateway when it closes in one. */
export interface SharedGate {
  /** Of a key, in the closures: it reveals nothing of the key. */
  nameOf(caller: KeyHolder): string;
  /** Publishes to the other gateways. */
  publish(closures: readonly Closure[]): Promise<void>;
  /** Called once, with the gate of this process, which learns from then on what others publish. */
  attach(own: OwnGate): void;
}

/** The copy of this process, so that no call waits for others. */
export interface OwnGate {
  /** What is closed now. */
  closures(): Closure[];
  /** Never shortens. */
  extend(closures: Iterable<Closure>): void;
}

/** The cool-down of keys whose rate limit is exceeded: no call is sent for them until it is over. */
export type RateLimitGate = ReturnType<typeof createRateLimitGate>;

/** Of more keys the oldest are dropped. */
const MAX_KEYS = 10_000;

/** The gates of this process. With `shared` a gate closes in every gateway when it closes in one. */
export function createRateLimitGate(shared?: SharedGate) {
  const closed = new LRUCache<string, true>({ max: MAX_KEYS, ttl: 1, ttlResolution: 0 });
  let lastOpensAtMs = 0;

  const gateNameOf = (caller: KeyHolder) => (shared ? shared.nameOf(caller) : caller.keyHash);
  const secondsLeft = (name: string) => Math.ceil(Math.max(0, closed.getRemainingTTL(name)) / 1000);

  /** Never shortens. */
  function extend(name: string, ms: number): void {
    if (ms <= closed.getRemainingTTL(name)) return;
    closed.set(name, true, { ttl: ms });
    lastOpensAtMs = Math.max(lastOpensAtMs, performance.now() + ms);
  }

  shared?.attach({
    closures: () => Array.from(closed.keys(), (name) => [name, Math.ceil(closed.getRemainingTTL(name))]),
    extend(closures) {
      for (const [name, ms] of closures) extend(name, ms);
    },
  });

  return {
    /** Closes the gate of a key; of several closures the longest counts. */
    close(caller: KeyHolder, seconds: number): void {
      const name = gateNameOf(caller);
      // Many 429 at once are one message.
      const isNew = seconds > secondsLeft(name);
      extend(name, seconds * 1000);
      if (isNew) void shared?.publish([[name, seconds * 1000]]);
    },
    /** Whole seconds until the gate of the key opens, rounded up; 0 where it is open, as most gates are. */
    secondsClosed: (caller: KeyHolder) =>
      performance.now() > lastOpensAtMs ? 0 : secondsLeft(gateNameOf(caller)),
    /** How many gates are closed. */
    count(): number {
      closed.purgeStale();
      return closed.size;
    },
  };
}
