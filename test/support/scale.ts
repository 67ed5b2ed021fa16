/** How large this run is: 1 for `npm test`, 10 for `npm run test:long`, more for `npm run soak` and `fuzz`. */
export const scale = Number(process.env.TEST_SCALE ?? 1);

/** `quick` times the scale of this run, and at least one. */
export const scaled = (quick: number): number => Math.max(1, Math.round(quick * scale));

/** The seed of all random draws: `TEST_SEED` repeats the run that printed it. */
export const testSeed: number | undefined =
  process.env.TEST_SEED === undefined ? undefined : Number(process.env.TEST_SEED);

/** The seed of draws that are new in each run, but in `.ci/run`: it judges a commit by the same draws each time. */
export const drawSeed: number | undefined =
  testSeed ?? (process.env.TEST_DRAWS === 'same' ? 20261123 : undefined);
