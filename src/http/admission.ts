import type { Signal } from '../abort.ts';

/** How many operations are at work, and whether there may be one more. */
export interface Admission {
  readonly isFull: boolean;
  readonly atWork: number;
  /**
   * Counts an operation until it has its answer, which is told by calling what this returns, or until nobody waits
   * for it (`departure` aborts). Undefined where there are as many as there may be.
   */
  enter(departure: Signal): (() => void) | undefined;
}

/** `isOverloaded`: whether there may be no more for another reason than their number. */
export function createAdmission(limit: number, isOverloaded = () => false): Admission {
  let atWork = 0;
  const isFull = () => atWork >= limit || isOverloaded();
  return {
    get isFull() {
      return isFull();
    },
    get atWork() {
      return atWork;
    },
    enter(departure) {
      if (isFull()) return undefined;
      let isInside = !departure.aborted;
      if (isInside) atWork += 1;
      const leave = () => {
        if (isInside) atWork -= 1;
        isInside = false;
        departure.removeEventListener('abort', leave);
      };
      departure.addEventListener('abort', leave);
      return leave;
    },
  };
}
