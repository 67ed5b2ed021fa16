import assert from 'node:assert/strict';
import fc from 'fast-check';
import { contract } from '../../support/contract.ts';
import { scaled, testSeed } from '../../support/scale.ts';
import { type Operation, operationsOf } from './operation.ts';
import { type Expectation, expectationOf, type Outcome } from './oracle.ts';
import { readOutcome } from './parts.ts';
import type { TestSetup } from './test-setup.ts';
import { checkWire } from './wire.ts';

/** The response to a random operation and its REST calls are those of the oracle. */
export function wholeProperty(setup: TestSetup) {
  return fc.asyncProperty(operationsOf(contract, false), async (operation) => {
    const expectation = expectationOf(operation, false);
    const actual = await outcomeOf(setup, operation, 'application/json');
    checkWhole(actual, expectation);
    checkWire(setup.cost(), expectation);
  });
}

/** The same with `@defer`, for every response format. */
export function deferProperty(setup: TestSetup) {
  const forms = fc.constantFrom(
    'multipart/mixed',
    'multipart/mixed',
    'text/event-stream',
    'application/json',
  );
  return fc.asyncProperty(operationsOf(contract, true), forms, async (operation, form) => {
    const expectation = expectationOf(operation, form !== 'application/json');
    const actual = await outcomeOf(setup, operation, form);
    if (form === 'application/json') checkWhole(actual, expectation);
    else checkAssembled(actual, expectation);
    checkWire(setup.cost(), expectation);
  });
}

async function outcomeOf(setup: TestSetup, operation: Operation, form: string): Promise<Outcome> {
  return readOutcome(await setup.post(operation, form));
}

function checkWhole(actual: Outcome, { outcome }: Expectation): void {
  assert.deepEqual(actual, outcome);
  assert.equal(JSON.stringify(actual.data), JSON.stringify(outcome.data), 'the order of the selection');
}

/** An object in two parts reports its errors in both, and the order of the fields is that of the parts. */
function checkAssembled(actual: Outcome, { outcome }: Expectation): void {
  const once = ({ errors }: Outcome) => [...new Set(errors.map((error) => JSON.stringify(error)))];
  assert.deepEqual(actual.data, outcome.data);
  assert.deepEqual(once(actual), once(outcome));
}

const LONGEST_RUN_MS = 300_000;
export const timeout = LONGEST_RUN_MS + 60_000;
export const numRuns = scaled(100);

/** How many operations a run draws, and how long it may take, shrinking included. */
export const parameters: fc.Parameters<unknown> = {
  numRuns,
  interruptAfterTimeLimit: LONGEST_RUN_MS,
  markInterruptAsFailure: true,
  ...(testSeed !== undefined && { seed: testSeed }),
};
