import { setFlagsFromString } from 'node:v8';

/** The V8 flag; exported for a test. */
export const noPretenuring = '--no-allocation-site-pretenuring';

/**
 * Disables V8's pretenuring. Under load many objects of a request survive one or two minor collections, and V8 would start
 * to allocate them in old space. There they stay, with all that they refer to, until the next major collection: with 640
 * calls in flight that took 70 MB more, and pauses were twice as long (docs/decisions/18-calls-die-young.md).
 */
export function disablePretenuring(): void {
  setFlagsFromString(noPretenuring);
}
