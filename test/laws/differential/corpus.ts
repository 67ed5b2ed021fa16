import { expect } from 'vitest';
import type { TestSettings } from '../../support/gateway.ts';
import { startComparison } from './comparison.ts';
import type { Case } from './requests.ts';

/** The time limit of a test that sends a part of the corpus. */
export const timeout = 600_000;

/**
 * Sends all cases to two gateways, with and without the fast path, and expects equal responses; the fast path may take
 * at least `atLeastEligible` of the requests.
 */
export async function expectSame(
  cases: readonly Case[],
  atLeastEligible: number,
  env: TestSettings = {},
): Promise<void> {
  const comparison = await startComparison(env);
  for (const one of cases) await comparison.send(one);
  comparison.expectSame();
  expect(comparison.eligible()).toBeGreaterThanOrEqual(atLeastEligible);
  // Of a few cases, all may need the full pipeline: errors, and x-explain.
  if (atLeastEligible > 100) expect(comparison.sides.fast.fastPathOperations()).toBeGreaterThan(0);
}
