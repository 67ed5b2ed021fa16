import assert from 'node:assert/strict';
import fc from 'fast-check';
import { contract } from '../../support/contract.ts';
import { type Operation, operationsOf } from './operation.ts';
import { type Answer, type Expectation, expectationOf } from './oracle.ts';
import { readAnswer } from './parts.ts';
import type { Stage } from './stage.ts';
import { checkWire } from './wire.ts';

/** Random operations are answered as the oracle says, for the calls that it says. */
export function wholeProperty(stage: Stage) {
  return fc.asyncProperty(operationsOf(contract, false), async (operation) => {
    const expectation = expectationOf(operation, false);
    const answer = await answerOf(stage, operation, 'application/json');
    checkWhole(answer, expectation);
    checkWire(stage.cost(), expectation);
  });
}

/** The same with `@defer`, whatever form of answer the caller takes. */
export function deferProperty(stage: Stage) {
  const forms = fc.constantFrom(
    'multipart/mixed',
    'multipart/mixed',
    'text/event-stream',
    'application/json',
  );
  return fc.asyncProperty(operationsOf(contract, true), forms, async (operation, form) => {
    const expectation = expectationOf(operation, form !== 'application/json');
    const answer = await answerOf(stage, operation, form);
    if (form === 'application/json') checkWhole(answer, expectation);
    else checkAssembled(answer, expectation);
    checkWire(stage.cost(), expectation);
  });
}

async function answerOf(stage: Stage, operation: Operation, form: string): Promise<Answer> {
  return readAnswer(await stage.ask(operation, form));
}

function checkWhole(actual: Answer, { answer }: Expectation): void {
  assert.deepEqual(actual, answer);
  assert.equal(JSON.stringify(actual.data), JSON.stringify(answer.data), 'in the order of the selection');
}

/** What two parts bring fails in both; and the order of the fields is that of the parts. */
function checkAssembled(actual: Answer, { answer }: Expectation): void {
  const once = ({ errors }: Answer) => [...new Set(errors.map((error) => JSON.stringify(error)))];
  assert.deepEqual(actual.data, answer.data);
  assert.deepEqual(once(actual), once(answer));
}

/**
 * How many operations a run makes, and how long it may look for the smallest that fails. `PROPERTY_SEED` repeats the
 * run that reported it.
 */
export const parameters: fc.Parameters<unknown> = {
  numRuns: Number(process.env.PROPERTY_RUNS ?? 1000),
  interruptAfterTimeLimit: 100_000,
  markInterruptAsFailure: true,
  ...(process.env.PROPERTY_SEED !== undefined && { seed: Number(process.env.PROPERTY_SEED) }),
};
