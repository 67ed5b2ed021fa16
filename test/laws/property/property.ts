import assert from 'node:assert/strict';
import fc from 'fast-check';
import { contract } from '../../support/contract.ts';
import { scaled, testSeed } from '../../support/scale.ts';
import { type Operation, operationsOf } from './operation.ts';
import { type Answer, type Expectation, expectationOf } from './oracle.ts';
import { readAnswer } from './parts.ts';
import type { Stage } from './stage.ts';
import { checkWire } from './wire.ts';

/** The response to a random operation and its REST calls are those of the oracle. */
export function wholeProperty(stage: Stage) {
  return fc.asyncProperty(operationsOf(contract, false), async (operation) => {
    const expectation = expectationOf(operation, false);
    const answer = await answerOf(stage, operation, 'application/json');
    checkWhole(answer, expectation);
    checkWire(stage.cost(), expectation);
  });
}

/** The same with `@defer`, for every response format. */
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
  assert.equal(JSON.stringify(actual.data), JSON.stringify(answer.data), 'the order of the selection');
}

/** An object in two parts reports its errors in both, and the order of the fields is that of the parts. */
function checkAssembled(actual: Answer, { answer }: Expectation): void {
  const once = ({ errors }: Answer) => [...new Set(errors.map((error) => JSON.stringify(error)))];
  assert.deepEqual(actual.data, answer.data);
  assert.deepEqual(once(actual), once(answer));
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
