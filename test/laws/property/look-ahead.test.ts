import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type DocumentNode, type FragmentDefinitionNode, Kind, parse, type SelectionSetNode } from 'graphql';
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
    const drawn = fc.tuple(
      fc.oneof(
        operationsOf(contract, ['defer']),
        operationsOf(contract, ['stream']),
        operationsOf(contract, ['defer', 'stream']),
      ),
      fc.constantFrom(...incrementalFormats, json),
    );
    const property = fc.asyncProperty(drawn, async ([operation, form]) => {
      const { cost, ...response } = await post(operation, form);
      const expectation = expectationOf(operation, takesEffect(operation.text, form));
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

/** If a field is in two deferred fragments, or in one and outside of it, some responses are complete. */
function takesEffect(text: string, form: string): boolean {
  if (form === json) return false;
  const hasBoth = text.includes('@defer') && text.includes('@stream');
  const mayBeComplete = form.includes('v0.2') || hasBoth;
  return !mayBeComplete || !isDeferredTwice(parse(text));
}

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

/** Returns each field with selections, as the path of its names and an object for the deferred fragment around it. */
function* placesOf(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  path = '',
  part = {},
): Generator<{ path: string; part: object }> {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) {
      if (!node.selectionSet) continue;
      const below = `${path}.${(node.alias ?? node.name).value}`;
      yield { path: below, part };
      yield* placesOf(node.selectionSet, fragments, below, part);
    } else {
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
      const isDeferred = node.directives?.some(({ name }) => name.value === 'defer');
      if (fragment) yield* placesOf(fragment.selectionSet, fragments, path, isDeferred ? {} : part);
    }
  }
}

/** Whether a field with selections is in two deferred fragments, or in one and outside of it. */
function isDeferredTwice({ definitions }: DocumentNode): boolean {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const known = new Map<string, object>();
  for (const node of definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    for (const { path, part } of placesOf(node.selectionSet, fragments)) {
      if ((known.get(path) ?? part) !== part) return true;
      known.set(path, part);
    }
  }
  return false;
}
