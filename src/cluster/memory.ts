import { setFlagsFromString } from 'node:v8';

/** The V8 flag; exported for a test. */
export const noPretenuring = '--no-allocation-site-pretenuring';

/**
 * Disables V8's pretenuring, which under load allocates the short-lived objects of requests in old space
 * (docs/decisions/18-calls-die-young.md).
 */
export function disablePretenuring(): void {
  setFlagsFromString(noPretenuring);
}
