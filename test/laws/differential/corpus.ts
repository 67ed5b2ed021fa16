import { expect } from 'vitest';
import type { Case } from './requests.ts';
import { openStage } from './stage.ts';

/** The time limit of a test that sends a part of the corpus. */
export const timeout = 600_000;

/**
 * Sends all cases to two gateways, one with the lane and one without, and holds that both answer the same; at least so
 * many of the requests are such that the lane may take them.
 */
export async function expectSame(
  cases: readonly Case[],
  atLeastEligible: number,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const stage = await openStage(env);
  for (const one of cases) await stage.send(one);
  stage.expectSame();
  expect(stage.eligible()).toBeGreaterThanOrEqual(atLeastEligible);
  // Of a few all may be for the other road after all: what fails, what is to be explained.
  if (atLeastEligible > 100) expect(stage.sides.lane.fastPathOperations()).toBeGreaterThan(0);
}
