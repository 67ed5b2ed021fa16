import type { Signal } from '../abort.ts';

/** Limits the number of active operations. */
export interface Admission {
  readonly isFull: boolean;
  /** The number of active operations. */
  readonly active: number;
  /**
   * Counts an operation as active until the returned function is called or `disconnected` aborts. Undefined where the
   * limit is reached.
   */
  enter(disconnected: Signal): (() => void) | undefined;
}

/** `isOverloaded`: a further reason to admit no operation, whatever their number. */
export function createAdmission(limit: number, isOverloaded = () => false): Admission {
  let active = 0;
  const isFull = () => active >= limit || isOverloaded();
  return {
    get isFull() {
      return isFull();
    },
    get active() {
      return active;
    },
    enter(disconnected) {
      if (isFull()) return undefined;
      let isActive = !disconnected.aborted;
      if (isActive) active += 1;
      const release = () => {
        if (isActive) active -= 1;
        isActive = false;
        disconnected.removeEventListener('abort', release);
      };
      disconnected.addEventListener('abort', release);
      return release;
    },
  };
}
