import fc, { type IAsyncProperty, type Parameters } from 'fast-check';

/** How often as many draws are made at most. */
const ROUNDS = 5;

/**
 * Checks a property with the draws of a seed, and with those of the seeds after it until `isEnough`: of some
 * seeds few draws reach what the test is about, and a field that is added to the schema changes all draws. The
 * caller asserts that there were enough.
 */
export async function assertUntil<T>(
  isEnough: () => boolean,
  property: IAsyncProperty<T>,
  { seed, ...options }: Parameters<T> & { seed: number },
): Promise<void> {
  for (let round = 0; round < ROUNDS && !isEnough(); round += 1) {
    await fc.assert(property, { ...options, seed: seed + round });
  }
}
