import { getIntrospectionQuery } from 'graphql';
import { everyField } from '../../support/selection.ts';
import { bombs } from '../fuzz/bombs.ts';
import { oddIds } from '../fuzz/tokens.ts';
import { conversationId as conversation } from './data.ts';

/*
 * Documents with what random ones seldom have, which drawn.test.ts sends: statuses, limits, introspection, and arguments
 * of the wrong kinds.
 */

/** A document, with the parameters that it is sent with. */
export interface ParsedParams {
  query: string;
  variables?: unknown;
  operationName?: unknown;
}

const q = JSON.stringify;
const site = (selection: string, id = 'SITE-1') => `{ site(id: ${q(id)}) { ${selection} } }`;
const everything = everyField('Site').slice(1, -1);
const context = (end: string, selection: string) =>
  `{ conversationContext(id: "${conversation(end)}") ${selection} }`;

const named = [
  '{ __proto__: site(id: "SITE-1") { constructor: id toString: city __proto__: zip } }',
  '{ _1: __typename _10: __typename _2: __typename null: __typename on: __typename data: __typename errors: __typename }',
];

export const deferred = [
  site('id ... @defer { clients { name } }'),
  site('id ... @defer(label: "x") { city } ...F @defer(if: false)') +
    ' fragment F on Site { projects { id } }',
  context(
    'ab01',
    '{ subject sites @stream(initialCount: 1) { address site { id } } messages @stream { text } }',
  ),
  'query ($d: Boolean = false) { site(id: "SITE-1") { id ... @defer(if: $d) { clients { id } } city } }',
  'query ($d: Boolean! = true) { site(id: "SITE-1") { clients @stream(if: $d) { id } ...F @defer(if: $d, label: "f") } } fragment F on Site { projects { id } }',
  site('... @defer { ... @defer { id } city } id', 'SITE-s500'),
];

const introspections = [
  getIntrospectionQuery(),
  'query ($n: String!) { __type(name: $n) { __typename name enumValues { name description } } site(id: "SITE-1") { id } }',
  '{ __typename }',
];

const plain = [
  ` \n\n${site('id')}\t\n# the end`,
  `\ufeff${site('id city')}`,
  site(everything),
  ...['ab01', 'ab05', 'ab06', 'ab07', 'AB01'].map((end) =>
    context(end, everyField('ConversationContext', ['ConversationSite.site'])),
  ),
  ...['ab03', 'ab04', 'a002', 'a008', 'a009'].map((end) =>
    context(end, '{ id sites { site { city projects { name } id } id } subject }'),
  ),
  `{ conversationContexts(ids: ["${conversation('ab01')}", "${conversation('ab02')}", "${conversation('ab01')}", "no"]) { subject sites { site { id clients { id } } } } }`,
  '{ sites(ids: ["SITE-3", "SITE-1", "SITE-2", "SITE-1"]) { id city clients { name } } }',
  '{ sites(ids: ["SITE-1"]) { id } health { reachable statusCode latencyMs body __typename } }',
];

/** Calls that the upstream rejects or spoils, alone and beside those that succeed. */
const failing = [
  ...[201, 204, 301, 304, 401, 403, 404, 408, 410, 418, 429, 500, 503].map((status) => `SITE-s${status}`),
  ...['SITE-c500', 'SITE-p403', 'SITE-c404', 'SITE-p429', 'SITE-c503', 'SITE-wait', 'SITE-busy'],
  ...['SITE-text', 'SITE-empty', 'SITE-list', 'SITE-null', 'SITE-other', 'SITE-part', 'SITE-drop'],
  ...['SITE-bom', 'SITE-bytes', 'SITE-html', 'SITE-o500', 'SITE-9/annex', 'SITE-10 Örnsköldsvik 東京'],
].flatMap((id) => [
  site('city clients { id } primaryProject { id }', id),
  `{ bad: site(id: ${q(id)}) { id clients { id } } site(id: "SITE-1") { id } health { reachable } }`,
  `{ site(id: "SITE-1") { projects { id } } sites(ids: [${q(id)}, "SITE-2", ${q(id)}]) { id projects { name } } }`,
]);

export const validDocuments: ParsedParams[] = [
  ...[
    ...[...named, ...introspections, ...plain, ...failing],
    ...[401, 403, 404, 429, 500, 503].map((status) =>
      context(`e${status}`, '{ subject sites { site { id } } }'),
    ),
    '{ a: sites(ids: ["SITE-s403", "SITE-s403a"]) { id } b: site(id: "SITE-s403") { id } }',
    '{ a: sites(ids: ["SITE-s403", "SITE-s429"]) { id } }',
    '{ a: sites(ids: ["SITE-1", "HOUSE-1", "SITE-2"]) { id } c: site(id: "HOUSE") { id } }',
  ].map((query) => ({ query, variables: { n: 'ServiceLevel' } })),
  ...[true, false].flatMap((d) => deferred.map((query) => ({ query, variables: { d } }))),
];

/** Documents up to the limits and over them. */
export const largeDocuments: ParsedParams[] = [
  ...['', '#', '{', '\0', '{ __typename } extra', 'mutation { x }', 'type X { a: Int }', '{ ...Gone }'],
  ...bombs.flatMap((bomb) => [1, 13, 101].map((count) => bomb(count))),
  ...[32_768, 32_769].map((length) => '{ site(id: "SITE-1") { id } }'.padEnd(length)),
  ...[992, 993].map((count) => `{ site(id: "SITE-1") { ${'id '.repeat(count)}} }`),
].map((query) => ({ query }));

const slice = `query ($first: Int, $last: Int = 3, $internal: Boolean) { conversationContext(id: "${conversation('a007')}") { a: messages(first: $first, isInternal: $internal) { text } b: messages(last: $last) { text } } }`;
const slices: ParsedParams[] = [
  ...['first: 2', 'last: 99', 'first: -1', 'first: "1"', 'nothing: 1', 'isInternal: null'],
  ...['first: 1, last: 1', 'isInternal: false, first: 1'],
].map((text) => ({ query: context('a007', `{ messages(${text}) { text isInternal } }`) }));

const one = 'query One($id: ID!) { site(id: $id) { id clients { id } } }';
const optional = 'query ($id: ID = "SITE-2") { site(id: $id) { id } }';
const list = 'query ($ids: [ID!]!) { sites(ids: $ids) { id city } }';
const inner =
  'query ($id: ID!, $more: [ID!]! = ["SITE-4"]) { sites(ids: [$id, "SITE-3", $id]) { id } b: sites(ids: $more) { id } }';
const contexts =
  'query ($id: ID!) { conversationContext(id: $id) { id } conversationContexts(ids: [$id]) { id } }';
const ids = (count: number, same = false) => Array.from({ length: count }, (_, n) => `SITE-m${same ? 1 : n}`);

const given: ParsedParams[] = [
  ...['first', 'last', 'internal'].flatMap((name) =>
    [undefined, 1, null, -5, '1', true, 1e10].map((value) => ({
      query: slice,
      variables: { [name]: value },
    })),
  ),
  ...[...oddIds, [null], ['SITE-1', null]].flatMap((value) => [
    { query: one, variables: { id: value } },
    { query: list, variables: { ids: value } },
    { query: contexts, variables: { id: value } },
  ]),
  ...[one, optional, list, inner].flatMap((query) => [
    { query },
    { query, variables: null },
    { query, variables: { id: 'SITE-1', ids: ['SITE-1', 'SITE-2'], unknown: { deep: [1] }, __proto__: 1 } },
    { query, variables: JSON.parse('{"__proto__":{"id":"SITE-1","ids":[]},"constructor":{}}') },
  ]),
  ...[49, 50, 51].flatMap((count) => [
    { query: list, variables: { ids: ids(count) } },
    { query: list, variables: { ids: ids(count, true) } },
    { query: `{ sites(ids: ${q(ids(count))}) { id } }` },
  ]),
  ...['null', '7', '"HOUSE-1"', '["SITE-1"]', '{a: 1}', 'SITE', '$id', '"SITE-\\u0041"'].flatMap(
    (literal) => [
      { query: `{ site(id: ${literal}) { id } }` },
      { query: `{ sites(ids: [${literal}, "SITE-1"]) { id } }` },
    ],
  ),
  { query: 'query ($__proto__: ID! = "SITE-1") { site(id: $__proto__) { id } }', variables: {} },
  { query: 'query ($id: ID! = "SITE-1") { site(id: $id) { id } }', variables: { id: null } },
  // Beside a failure, an operation may cost less than its fields say.
  { query: `{ a: sites(ids: ${q(ids(30))}) { id } b: sites(ids: ${q(ids(50))}) { id } }` },
  { query: context('a001', '{ subject sites { site { id } } }') },
];

const two =
  'query A { site(id: "SITE-1") { id } } query B { b: site(id: "SITE-2") { ...F } } fragment F on Site { city }';
const mixed =
  'query A($id: ID!) { site(id: $id) { id } } query B($id: [ID!]!) { sites(ids: $id) { id } } query A2 { __typename }';
const names: unknown[] = [
  'A',
  'B',
  'C',
  '',
  null,
  undefined,
  'F',
  '__proto__',
  '\ud800',
  'x'.repeat(500),
  7,
  ['A'],
];

export const documentsWithParameters: ParsedParams[] = [
  ...slices,
  ...given,
  ...names.flatMap((operationName) => [
    { query: two, operationName },
    { query: mixed, operationName, variables: { id: 'SITE-1' } },
    { query: '{ site(id: "SITE-1") { id } }', operationName },
  ]),
  { query: `${two} query A { __typename }`, operationName: 'A' },
];

/** Of these, one may be taken for another if a document and a name are put together to one text. */
export const likeEachOther: ParsedParams[] = [
  ...['', ' ', '\0', ':', '","'].flatMap((between) => [
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
