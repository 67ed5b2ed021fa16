import assert from 'node:assert/strict';
import fc from 'fast-check';
import { it } from 'vitest';
import { subgraphContract as contract } from '../../support/contract.ts';
import { eventStream, multipart, type postForParts, type SentPart } from '../../support/incremental.ts';
import { operationsOf } from './operation.ts';
import { expectationOf, type Outcome, outcomeFrom } from './oracle.ts';
import { parameters, startTestSetup, timeout } from './test-setup.ts';
import { checkWire } from './wire.ts';

const json = 'application/json';

it(
  'returns the data of the full documents, and requests exactly the relations that an operation reads',
  async () => {
    const { post } = await startTestSetup();
    const property = fc.asyncProperty(operationsOf(contract, false), async (operation) => {
      const expectation = expectationOf(operation, false);
      const { cost, ...response } = await post(operation, json);
      const actual = outcomeOf(response, json);
      assert.deepEqual(actual, expectation.outcome);
      assertSameOrder(actual, expectation.outcome);
      checkWire(cost, expectation);
    });
    await fc.assert(property, parameters);
  },
  timeout,
);

it(
  'returns the same data incrementally, in every response format',
  async () => {
    const { post } = await startTestSetup();
    const forms = fc.constantFrom(multipart, multipart, eventStream, json);
    const property = fc.asyncProperty(operationsOf(contract, true), forms, async (operation, form) => {
      const expectation = expectationOf(operation, form !== json);
      const { cost, ...response } = await post(operation, form);
      const actual = outcomeOf(response, form);
      assert.deepEqual(actual.data, expectation.outcome.data);
      // An object in two parts reports its errors in both, and the order of the fields is that of the parts.
      if (form === json) assertSameOrder(actual, expectation.outcome);
      const errorsOf = ({ errors }: Outcome) =>
        form === json ? errors : [...new Set(errors.map((error) => JSON.stringify(error)))];
      assert.deepEqual(errorsOf(actual), errorsOf(expectation.outcome));
      checkWire(cost, expectation);
    });
    await fc.assert(property, parameters);
  },
  timeout,
);

function assertSameOrder(actual: Outcome, expected: Outcome): void {
  assert.equal(JSON.stringify(actual.data), JSON.stringify(expected.data), 'the order of the selection');
}

type Response = Awaited<ReturnType<typeof postForParts>>;
type Tree = Record<string | number, unknown>;

/** Merges the parts of a response into one outcome. */
function outcomeOf({ status, headers, parts: [first, ...later] }: Response, form: string): Outcome {
  assert.equal(status, 200);
  assert(first?.data !== undefined);
  const isInParts = first.hasNext === true;
  assert.match(headers.get('content-type') ?? '', new RegExp(`^(${form}${isInParts ? '' : `|${json}`})\\b`));
  const hasNext = [first, ...later].map((part) => part.hasNext ?? false);
  assert.deepEqual(hasNext, [...later.map(() => true), false]);
  const patches = later.flatMap(({ incremental = [] }: SentPart) => incremental);
  for (const { path = [], data } of patches) {
    const place = path.reduce((tree, step) => treeFrom(tree[step]), treeFrom(first.data));
    lay(place, treeFrom(data));
  }
  const errors = [first, ...patches].flatMap((part) => part.errors ?? []);
  return outcomeFrom({ data: first.data, errors });
}

function treeFrom(value: unknown): Tree {
  assert(typeof value === 'object' && value !== null);
  return value as Tree;
}

/** A part may repeat fields; then both values are equal. */
function lay(place: Tree, data: Tree): void {
  for (const [key, value] of Object.entries(data)) {
    const there = place[key];
    if (typeof there === 'object' && there !== null && value !== null) lay(treeFrom(there), treeFrom(value));
    else if (key in place) assert.deepEqual(value, there);
    else place[key] = value;
  }
}
