import { expect } from 'vitest';
import type { Case } from './requests.ts';
import { openStage } from './stage.ts';

/** The time limit of a test that sends a part of the corpus. */
export const timeout = 600_000;

/**
 * Sends all cases to two gateways, with and without the fast path, and expects equal responses; the fast path may take
 * at least `atLeastEligible` of the requests.
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
  // Of a few cases, all may need the full pipeline: errors, and x-explain.
  if (atLeastEligible > 100) expect(stage.sides.fast.fastPathOperations()).toBeGreaterThan(0);
}
