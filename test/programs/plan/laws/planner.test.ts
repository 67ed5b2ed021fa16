import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type DocumentNode, type FieldNode, Kind, OperationTypeNode, parse, print, visit } from 'graphql';
import { expect, it } from 'vitest';
import { createIdleGateway } from '../../../../src/command/check.ts';
import { createPlanner, type Plan } from '../../../../src/features/explain/index.ts';
import { composition } from '../../../../src/features.ts';
import { asSent } from '../../../../src/programs/plan/client-directives.ts';
import { documentsIn } from '../../../../src/programs/plan/documents.ts';
import { spoiltFrom } from '../../../laws/fuzz/document.ts';
import { type Operation, operationsOf } from '../../../laws/property/operation.ts';
import { numRuns, parameters, timeout } from '../../../laws/property/test-setup.ts';
import { subgraphContract as contract } from '../../../support/contract.ts';
import { assertUntil } from '../../../support/draw.ts';
import { type GraphqlResponse, postOperation, startGateway, testConfig } from '../../../support/gateway.ts';
import { drawSeed } from '../../../support/scale.ts';
import { startDocuments } from '../../../support/upstreams/documents.ts';

const settings = { FEDERATION: 'on' };
const planner = createPlanner(createIdleGateway(testConfig(settings), composition).operations, asSent);

/** How a document is given to `portico plan`, by the name of its file. */
const forms = {
  'a.graphql': (text: string) => text,
  'a.ts': (text: string) => `export const query = gql\`${text}\`;`,
  'a.json': (text: string) => JSON.stringify({ a: text }),
};
type Form = keyof typeof forms;
const formNames = Object.keys(forms) as Form[];

/** The plan of a document in a file of this form. */
async function plan(form: Form, text: string, variables: Record<string, unknown> = {}) {
  const found = documentsIn(form, forms[form](text));
  const faults = found.filter((one) => 'message' in one);
  const sources = found.filter((one) => 'text' in one);
  const planned = planner.plan(sources, { variables });
  return { ...planned, faults: [...faults, ...planned.faults] };
}

async function start() {
  const upstream = await startDocuments();
  return (await startGateway(upstream.url, settings)).url;
}

function documentFrom(text: string): DocumentNode | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The operations of a text; a request without a name if it has one, or does not parse. */
function operationsIn(text: string) {
  const definitions = documentFrom(text)?.definitions ?? [];
  const found = definitions.flatMap((node) => (node.kind === Kind.OPERATION_DEFINITION ? [node] : []));
  return found.length > 1 ? found : [{ operation: found[0]?.operation, name: undefined }];
}

/** Whether a text has a directive that urql removes before it sends the document, which is not in a manifest. */
function hasClientDirective(text: string): boolean {
  const document = documentFrom(text);
  let found = false;
  if (document)
    visit(document, {
      [Kind.DIRECTIVE]({ name }) {
        if (name.value.startsWith('_')) found = true;
      },
    });
  return found;
}

/** The messages with which the gateway rejects a document. A live query, which has no end, is planned. */
async function rejectionsOf(url: string, text: string, variables: Record<string, unknown> = {}) {
  const messages: string[] = [];
  for (const { operation, name } of operationsIn(text)) {
    const isLive = operation === OperationTypeNode.SUBSCRIPTION;
    const options = { variables, ...(isLive && { headers: { 'x-explain': 'plan' } }) };
    const document = { query: text, operationName: name?.value };
    const { response, expectAbsent } = await postOperation(url, document, options);
    const body = await response.text();
    expectAbsent(body);
    assert.ok(response.status < 500 && !body.includes('INTERNAL_SERVER_ERROR'), `${text}\n${body}`);
    const { data, errors = [], extensions } = JSON.parse(body) as Received;
    const { plan } = extensions ?? {};
    if (plan?.exceeded) messages.push(plan.exceeded.message);
    // An operation that is executed has data, or an error at a field, which made all data null.
    const isExecuted = data || plan || errors.some(({ path }) => path);
    // A list that is too long is an error of a field, and a rejection of the plan.
    const rejecting = errors.filter(({ message }) => !isExecuted || message.startsWith('A list may hold'));
    messages.push(...rejecting.map(({ message }) => message));
  }
  return messages;
}

interface Received extends Pick<GraphqlResponse, 'data' | 'errors'> {
  extensions?: { plan?: Plan };
}

/** Texts that a file may hold, and that no operation is sent with. */
const leftOut = /is never used\.$|^The ".*" definition is not executable|^This anonymous operation/;
/** A manifest is not limited in size; the plan assumes values; the data decide. */
const otherwise = {
  manifest: /^The document is too complex/,
  any: /was not provided\.$|^The response would/,
};

it('rejects what the gateway rejects, and plans what it executes, in any form', { timeout }, async () => {
  const url = await start();
  const counts = { rejected: 0, planned: 0 };
  const queries = fc.oneof(operationsOf(contract, ['defer', 'stream']), operationsOf(contract));
  const operations = fc.oneof(
    { arbitrary: queries, weight: 3 },
    { arbitrary: queries.map(liveOf), weight: 1 },
  );
  const drawn = fc.oneof(spoiltFrom(operations), slippedFrom(operations));
  const property = fc.asyncProperty(drawn, async ({ query: text, variables }) => {
    const rejections = await rejectionsOf(url, text, variables);
    if (rejections.some((message) => otherwise.any.test(message))) return;
    for (const form of formNames) {
      if (form === 'a.json' && rejections.some((message) => otherwise.manifest.test(message))) continue;
      if (form !== 'a.json' && rejections.some((message) => leftOut.test(message))) continue;
      if (form !== 'a.json' && hasClientDirective(text)) continue;
      // In code these have a meaning of their own.
      if (form === 'a.ts' && /[\\`]|\$\{/.test(text)) continue;
      const { operations, faults } = await plan(form, text, variables);
      const found = JSON.stringify([form, text, variables, rejections, faults], null, 1);
      assert.equal(faults.length > 0, rejections.length > 0, found);
      for (const fault of faults) assert.equal(fault.file, form, found);
      if (faults.length === 0) assert.equal(operations.length, operationsIn(text).length, found);
      counts[faults.length > 0 ? 'rejected' : 'planned'] += 1;
    }
  });
  const enough = numRuns / 5;
  const isEnough = () => counts.rejected > enough && counts.planned > enough;
  await assertUntil(isEnough, property, { ...parameters, seed: drawSeed ?? Date.now() % 2 ** 31 });
  expect(counts.rejected).toBeGreaterThan(enough);
  expect(counts.planned).toBeGreaterThan(enough);
});

it('bounds by one plan what an operation costs for any values of its Boolean variables', {
  timeout,
}, async () => {
  let compared = 0;
  const property = fc.asyncProperty(operationsOf(contract, ['defer']), async ({ text, variables }) => {
    const isRequired = (name: string) => new RegExp(`\\$${name}: Boolean![^=]*[,)]`).test(text);
    const others = Object.fromEntries(Object.entries(variables).filter(([name]) => !isRequired(name)));
    const [{ operations: exact }, { operations: bounds }] = [
      await plan('a.json', text, variables),
      await plan('a.json', text, others),
    ];
    for (const { cost, atMost, assumed } of bounds) {
      const [{ cost: exactCost, atMost: exactMost } = expect.unreachable(text)] = exact;
      const each = (forEach: Plan['cost']['forEach']) => forEach.reduce((sum, { calls }) => sum + calls, 0);
      assert.ok(cost.known >= exactCost.known && atMost >= exactMost, text);
      assert.ok(each(cost.forEach) >= each(exactCost.forEach), text);
      if (assumed.some((one) => one.endsWith('true or false'))) compared += 1;
    }
  });
  await assertUntil(() => compared > numRuns / 20, property, {
    ...parameters,
    seed: drawSeed ?? Date.now() % 2 ** 31,
  });
  expect(compared).toBeGreaterThan(numRuns / 20);
});

type Text = Pick<Operation, 'text' | 'variables'>;

/** Selections that are wrong by one rule about fragments or directives, or by none. */
const slips = fc.constantFrom(
  ...[
    '...Nope',
    '... on Nope { __typename }',
    '... on String { __typename }',
    '... on _Entity { __typename }',
  ],
  ...[
    '__typename @nope',
    '__typename @defer',
    '__typename @stream',
    '__typename @skip',
    '... { __typename }',
  ],
  ...['__typename @skip(if: false) @skip(if: false)', '... @include(if: $nope) { __typename }'],
  '... @defer(label: "x") { __typename } ... @defer(label: "x") { __typename }',
);

/** Operations with one further selection, first in any of the selections of the operation and its fragments. */
function slippedFrom(operations: fc.Arbitrary<Text>) {
  return fc.tuple(operations, slips, fc.nat()).map(([{ text, variables }, slip, place]) => {
    const starts: number[] = [];
    visit(parse(text), { [Kind.SELECTION_SET]: ({ loc }) => void starts.push((loc?.start ?? 0) + 1) });
    const start = starts[place % starts.length] ?? 0;
    return { query: `${text.slice(0, start)} ${slip} ${text.slice(start)}`, variables };
  });
}

/** The same selections, below `live`. */
function liveOf({ text, variables }: Text): Text {
  const document = visit(parse(text), {
    [Kind.OPERATION_DEFINITION]: ({ selectionSet, ...node }) => {
      const live: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'live' }, selectionSet };
      return {
        ...node,
        operation: OperationTypeNode.SUBSCRIPTION,
        selectionSet: { kind: Kind.SELECTION_SET, selections: [live] },
      };
    },
  });
  return { text: print(document), variables };
}

/** Fragments that spread each other; with fewer levels, because graphql-js reads some of them several times. */
const chain = (count: number) =>
  `{ ...F0 } ${Array.from({ length: count }, (_, n) => `fragment F${n} on Query { ...F${n + 1} }`).join(' ')}
    fragment F${count} on Query { ...Nope }`;

/** Documents with so many levels of fields, fragments, lists, objects and types. */
const deep = (count: number): Record<string, string> => ({
  fields: `{ ${'a { '.repeat(count)}b${' }'.repeat(count)} }`,
  fragments: `{ ${'... { '.repeat(count)}__typename${' }'.repeat(count)} }`,
  lists: `{ site(id: ${'['.repeat(count)}${']'.repeat(count)}) { id } }`,
  objects: `{ site(id: ${'{ a: '.repeat(count)}1${' }'.repeat(count)}) { id } }`,
  types: `query ($x: ${'['.repeat(count)}ID${']'.repeat(count)}) { site(id: $x) { id } }`,
});

it.each(Object.entries({ ...deep(100_000), chains: chain(10_000) }))(
  'reports a document that is nested too deeply: %s',
  async (_, text) => {
    for (const form of formNames) {
      const { operations, faults } = await plan(form, text);
      expect(operations).toEqual([]);
      expect(faults).toMatchObject([
        {
          file: form,
          line: 1,
          message: expect.stringMatching(/^The document is |^Validation aborted|1000 tokens/),
        },
      ]);
    }
  },
);
