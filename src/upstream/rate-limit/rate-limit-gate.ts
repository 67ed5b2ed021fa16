import type { KeyHolder } from '../caller.ts';
import { createExpiringMap, secondsFromMs } from './expiring-map.ts';

/** The cool-down of keys whose rate limit is exceeded: no call is sent for them until it is over. */
export interface RateLimitGate {
  /** Closes the gate of a key; of several closures the longest counts. */
  close(caller: KeyHolder, seconds: number): void;
  /** Whole seconds until the gate of the key opens; 0 where it is open. */
  secondsClosed(caller: KeyHolder): number;
  /** How many gates are closed. */
  count(): number;
}

/** The gates of this process. */
export function createRateLimitGate(): RateLimitGate {
  const closed = createExpiringMap();
  return {
    close: ({ keyHash }, seconds) => closed.extend(keyHash, seconds * 1000),
    secondsClosed: ({ keyHash }) => (closed.isEmpty() ? 0 : secondsFromMs(closed.leftMs(keyHash))),
    count: () => closed.count(),
  };
}
