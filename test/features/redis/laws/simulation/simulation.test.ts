import { expect, it } from 'vitest';
import { scale, testSeed } from '../../../../support/scale.ts';
import { useFakeTime } from '../../../live/engine.ts';
import type { Variant } from './redis-model.ts';
import { simulate } from './simulation.ts';

const SEEDS = scale >= 10 ? 10_000 : 200;
/** Within so many seeds each of the faults that are put in has to show. */
const FAULT_SEEDS = 1_000;
const COMMAND = 'npx vitest run --project quick test/features/redis/laws/simulation/simulation.test.ts';

it('keeps what gateways with one Redis promise, whatever fails', async () => {
  useFakeTime();
  const seeds = testSeed === undefined ? Array.from({ length: SEEDS }, (_, n) => n + 1) : [testSeed];
  for (const seed of seeds) {
    await simulate(seed).catch((error: Error) => {
      throw new Error(`TEST_SEED=${seed} ${COMMAND}\n${error.message}`, { cause: error });
    });
  }
  // Ten thousand take six minutes on a quiet machine.
}, 3_600_000);

it.each<[Variant, RegExp]>([
  ['releases any lease', /two polls/],
  ['never takes over', /alone/],
  ['looks once', /two polls/],
  ['takes a time in the future', /alone/],
])('finds a Redis that %s', async (variant, expected) => {
  useFakeTime();
  let found: Error | undefined;
  for (let seed = 1; seed <= FAULT_SEEDS && !found; seed += 1) {
    await simulate(seed, variant).catch((error: Error) => {
      found = error;
    });
  }
  expect(found?.message).toMatch(expected);
});
