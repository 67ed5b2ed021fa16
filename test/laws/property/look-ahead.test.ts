import assert from 'node:assert/strict';
import fc from 'fast-check';
import { it } from 'vitest';
import { subgraphContract as contract } from '../../support/contract.ts';
import { incrementalFormats, type postForParts } from '../../support/incremental.ts';
import { mergeParts } from '../../support/merge-parts.ts';
import { operationsOf } from './operation.ts';
import { expectationOf, type Outcome, outcomeFrom } from './oracle.ts';
import { parameters, startTestSetup, timeout } from './test-setup.ts';
import { checkWire } from './wire.ts';

const json = 'application/json';

it(
  'returns the data of the full documents, and requests exactly the relations that an operation reads',
  async () => {
    const { post } = await startTestSetup();
    const property = fc.asyncProperty(operationsOf(contract), async (operation) => {
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
    const [v01 = [], v02 = []] = [false, true].map((isLater) =>
      incrementalFormats.filter((format) => format.includes('v0.2') === isLater),
    );
    const drawn = fc.oneof(
      // In v0.1 a list that is streamed twice, once in a deferred fragment, loses items that fail.
      fc.tuple(operationsOf(contract, ['defer']), fc.constantFrom(...v01)),
      fc.tuple(operationsOf(contract, ['stream']), fc.constantFrom(...v01)),
      fc.tuple(operationsOf(contract, ['defer', 'stream']), fc.constantFrom(...v02, ...v02, json)),
    );
    const property = fc.asyncProperty(drawn, async ([operation, form]) => {
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

/** Merges the parts of a response into one outcome. */
function outcomeOf({ status, headers, parts }: Response, form: string): Outcome {
  assert.equal(status, 200);
  const type = headers.get('content-type') ?? '';
  if (parts[0]?.hasNext) {
    const [range = '', spec = ''] = form.split(';');
    assert(type.startsWith(range) && type.includes(spec), type);
  } else assert.match(type, new RegExp(`^(${form.split(';')[0]}|${json})\\b`));
  return outcomeFrom(mergeParts(parts));
}
