import { oddIds } from '../fuzz/tokens.ts';
import { conversationId as conversation } from './data.ts';
import type { ParsedParams } from './documents.ts';

/**
 * Documents with parameters: arguments and variables of every kind, right or not, and the operation to
 * select.
 */
const uuid = conversation('a007');
const messages = (argumentsText: string) =>
  `{ conversationContext(id: "${uuid}") { messages(${argumentsText}) { text isInternal } } }`;

const sliced = [
  ...['first', 'last', 'isInternal', 'nothing'].flatMap((name) =>
    ['2', '0', 'null', '99', '-1', '"1"', '1.0', '2147483648', '[1]', 'true', '"true"'].map(
      (value) => `${name}: ${value}`,
    ),
  ),
  ...['first: 1, last: 1', 'first: 1, last: null', 'isInternal: false, first: 1', 'first: 1, first: 2'],
].map((text) => ({ query: messages(text) }));

const slice = `query ($first: Int, $last: Int = 3, $internal: Boolean) { conversationContext(id: "${uuid}") { a: messages(first: $first, isInternal: $internal) { text } b: messages(last: $last) { text } } }`;
const slices = ['first', 'last', 'internal'].flatMap((name) =>
  [undefined, 1, null, -5, 1.5, '1', 'true', true, 1e10, {}].map((value) => ({
    query: slice,
    variables: { [name]: value },
  })),
);

/** Ids of the corpus beside those of the fuzz tests. */
const odd = [...oddIds, 'SITE-m2', 'SITE-s404', 'SITE-s500', [null], ['SITE-1', null], ['SITE-1', 7]];

const one = 'query One($id: ID!) { site(id: $id) { id clients { id } } }';
const optional = 'query ($id: ID = "SITE-2") { site(id: $id) { id } }';
const list = 'query ($ids: [ID!]!) { sites(ids: $ids) { id city } }';
const inner =
  'query ($id: ID!, $more: [ID!]! = ["SITE-4"]) { sites(ids: [$id, "SITE-3", $id]) { id } b: sites(ids: $more) { id } }';
const contexts =
  'query ($id: ID!) { conversationContext(id: $id) { id } conversationContexts(ids: [$id]) { id } }';
const ids = (count: number, same = false) => Array.from({ length: count }, (_, n) => `SITE-m${same ? 1 : n}`);

const given: ParsedParams[] = [
  ...odd.flatMap((value) => [
    { query: one, variables: { id: value } },
    { query: list, variables: { ids: value } },
    { query: inner, variables: { id: 'SITE-1', more: value } },
    { query: contexts, variables: { id: value } },
  ]),
  ...[one, optional, list, inner].flatMap((query) => [
    { query },
    { query, variables: {} },
    { query, variables: null },
    { query, variables: { id: 'SITE-1', ids: ['SITE-1', 'SITE-2'], unknown: { deep: [1] }, __proto__: 1 } },
    { query, variables: JSON.parse('{"__proto__":{"id":"SITE-1","ids":[]},"constructor":{}}') },
  ]),
  ...[uuid.toUpperCase(), `{${uuid}}`, 'no', conversation('e500')].map((id) => ({
    query: contexts,
    variables: { id },
  })),
  ...[1, 49, 50, 51, 200].flatMap((count) => [
    { query: list, variables: { ids: ids(count) } },
    { query: list, variables: { ids: ids(count, true) } },
    { query: `{ sites(ids: ${JSON.stringify(ids(count))}) { id } }` },
  ]),
  ...[
    ...['null', '7', '"HOUSE-1"', '""', '[]', '["SITE-1"]', '{a: 1}', 'SITE', 'true', '$id', '1.5'],
    ...['"SITE-\\u0041"', '"""SITE-1"""'],
  ].flatMap((literal) => [
    { query: `{ site(id: ${literal}) { id } }` },
    { query: `{ sites(ids: ${literal}) { id } }` },
    { query: `{ sites(ids: [${literal}, "SITE-1"]) { id } }` },
  ]),
  { query: '{ site { id } }' },
  {
    query: 'query ($ID: ID!, $id: ID!) { a: site(id: $ID) { id } b: site(id: $id) { city } }',
    variables: { ID: 'SITE-1', id: 'SITE-2' },
  },
  { query: 'query ($__proto__: ID! = "SITE-1") { site(id: $__proto__) { id } }', variables: {} },
  { query: 'query ($id: ID! = "SITE-1") { site(id: $id) { id } }', variables: { id: null } },
  { query: 'query ($id: ID! = "SITE-1") { site(id: $id) { id } }', variables: {} },
  // Beside what fails, an operation may cost less than its fields say.
  {
    query: `{ a: sites(ids: ${JSON.stringify(ids(30))}) { id } b: sites(ids: ${JSON.stringify(ids(50))}) { id } }`,
  },
  { query: `{ conversationContext(id: "${conversation('a001')}") { subject sites { site { id } } } }` },
  { query: `{ conversationContext(id: "${conversation('a001')}") { sites { id } } health { reachable } }` },
];

const two =
  'query A { site(id: "SITE-1") { id } } query B { b: site(id: "SITE-2") { ...F } } fragment F on Site { city }';
const mixed =
  'query A($id: ID!) { site(id: $id) { id } } query B($id: [ID!]!) { sites(ids: $id) { id } } query A2 { __typename }';
const names: unknown[] = [
  ...[
    'A',
    'B',
    'A',
    'A2',
    'C',
    '',
    null,
    'null',
    undefined,
    'a',
    'F',
    'toString',
    '__proto__',
    ' A',
    'A ',
    '\ud800',
  ],
  ...['x'.repeat(500), 7, {}, ['A'], true],
];

const named: ParsedParams[] = [
  ...names.flatMap((operationName) => [
    { query: two, operationName },
    { query: mixed, operationName, variables: { id: 'SITE-1' } },
    { query: mixed, operationName, variables: { id: ['SITE-1', 'SITE-2'] } },
    { query: 'query A { site(id: "SITE-1") { id } }', operationName },
    { query: '{ site(id: "SITE-1") { id } }', operationName },
  ]),
  { query: `${two} query A { __typename }`, operationName: 'A' },
  { query: `${two} { __typename }` },
  { query: `${two} mutation M { x }`, operationName: 'M' },
];

/** Of which one may be taken for another where a document and a name are put together to one text. */
export const likeEachOther: ParsedParams[] = [
  ...['', ' ', '\n', '\0', ':', '|', '#', '"', '","', '\u2028'].flatMap((between) => [
    { query: `${two}#${between}A` },
    { query: `${two}#`, operationName: `${between}A` },
    { query: `${two}#${between}`, operationName: 'A' },
    { query: `${two}#${between}`, operationName: 'B' },
  ]),
  ...['A', 'B', undefined, 'B', 'A', null, ''].map((operationName) => ({ query: two, operationName })),
  ...[true, false].map((a) => ({
    query: 'query ($a: Boolean!) { __typename @skip(if: $a) b: __typename @include(if: $a) }',
    variables: { a },
  })),
];

export const documentsWithParameters: ParsedParams[] = [...sliced, ...slices, ...given, ...named];
