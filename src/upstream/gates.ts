import type { Caller } from './caller.ts';
import { createWaits, secondsFromMs } from './waits.ts';

/** Keys whose rate limit is spent: until the REST API takes them again, asking it is of no use. */
export interface Gates {
  close(caller: Holder, seconds: number): void;
  /** Whole seconds until the key's gate opens; 0 where it is open. */
  secondsClosed(caller: Holder): number;
  /** How many are closed now. */
  count(): number;
}

/** Whose gate it is. */
export type Holder = Pick<Caller, 'apiKey' | 'owner'>;

/** Gates of this process. */
export function createGates(): Gates {
  const waits = createWaits();
  return {
    close: ({ owner }, seconds) => waits.extend(owner, seconds * 1000),
    secondsClosed: ({ owner }) => (waits.isOver() ? 0 : secondsFromMs(waits.leftMs(owner))),
    count: () => waits.count(),
  };
}
