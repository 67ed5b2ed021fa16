import { getIntrospectionQuery } from 'graphql';
import { everyField } from '../../support/selection.ts';
import { conversationId as conversation, oddIds } from './data.ts';

/** Documents that are right, each with what it is sent with. */
export interface ParsedParams {
  query: string;
  variables?: unknown;
  operationName?: unknown;
}

const q = JSON.stringify;
const site = (selection: string, id = 'SITE-1') => `{ site(id: ${q(id)}) { ${selection} } }`;
const everything = everyField('Site');
const context = everyField('ConversationContext', ['Health.latencyMs']);

/** What comes out where fields meet under one name, and in which order. */
const merged = [
  site('id city id city'),
  site('zip state city address2 address1 id'),
  site('clients { id } primaryClient { id name } clients { name id }'),
  site('clients { id } clients { name } ... on Site { clients { emails { value } id } }'),
  site('__typename a: __typename ... { __typename b: __typename }'),
  site('accountManager { id } ...A accountManager { lastName id }') +
    ' fragment A on Site { city accountManager { firstName } id }',
  site('...A ...B ...A') +
    ' fragment A on Site { id ...B } fragment B on Site { clients { ...C } } fragment C on Client { id }',
  '{ b: site(id: "SITE-2") { id } a: site(id: "SITE-1") { id } b: site(id: "SITE-2") { city clients { id } } }',
  '{ site(id: "SITE-1") { id } site(id: "SITE-1") { clients { id } } ... on Query { site(id: "SITE-1") { projects { id } } } }',
  '{ ...Q ...Q health { reachable } } fragment Q on Query { health { body } site(id: "SITE-3") { id } __typename }',
  '{ __proto__: site(id: "SITE-1") { constructor: id toString: city __proto__: zip } }',
  '{ _1: __typename _10: __typename _2: __typename null: __typename true: __typename on: __typename data: __typename errors: __typename }',
  '{ a: site(id: "SITE-1") { a: clients { a: emails { a: value b: value } } } b: __typename }',
];

const guarded: ParsedParams[] = [
  ...['true', 'false'].flatMap((value) => [
    { query: site(`id city @skip(if: ${value}) zip @include(if: ${value})`) },
    {
      query: site(
        `id ... @include(if: ${value}) { clients { id } } ... on Site @skip(if: ${value}) { projects { id } }`,
      ),
    },
    { query: `{ a: __typename site(id: "SITE-1") @include(if: ${value}) { id } }` },
    { query: site(`id city @skip(if: ${value}) city @include(if: ${value})`) },
    { query: `{ site(id: "SITE-s500") @skip(if: ${value}) { id } __typename }` },
  ]),
  ...[
    { a: true, b: true },
    { a: true, b: false },
    { a: false, b: true },
    { a: false, b: false },
    { a: true },
    { b: false },
  ].flatMap((variables) => [
    {
      query:
        'query ($a: Boolean!, $b: Boolean = true) { site(id: "SITE-1") { id clients @include(if: $a) { id name @skip(if: $b) } ...P @skip(if: $b) zip } } fragment P on Site { projects { id } }',
      variables,
    },
    {
      query:
        'query ($a: Boolean = false, $b: Boolean!) { site(id: "SITE-1") @skip(if: $a) @include(if: $b) { id } other: health @include(if: $b) { reachable } }',
      variables,
    },
    {
      query:
        'query ($a: Boolean = true, $b: Boolean = false) { __typename ... @include(if: $a) { x: __typename @skip(if: $b) } site(id: "SITE-1") { ... @skip(if: $a) { city } city @include(if: $b) id } }',
      variables,
    },
  ]),
  { query: site('id @skip(if: true)') },
  { query: '{ site(id: "SITE-1") @include(if: false) { id } }' },
];

export const deferred = [
  site('id ... @defer { clients { name } }'),
  site('id ... @defer(label: "x") { city } ...F @defer(if: false)') +
    ' fragment F on Site { projects { id } }',
  '{ ... @defer { site(id: "SITE-1") { id } } __typename }',
  `{ conversationContext(id: "${conversation('ab01')}") { subject sites @stream(initialCount: 1) { address site { id } } messages @stream { text } } }`,
  'query ($d: Boolean = false) { site(id: "SITE-1") { id ... @defer(if: $d) { clients { id } } city } }',
  'query ($d: Boolean! = true) { site(id: "SITE-1") { clients @stream(if: $d) { id } ...F @defer(if: $d, label: "f") } } fragment F on Site { projects { id } }',
  site('... @defer { ... @defer { id } city } id', 'SITE-s500'),
  site('id clients @stream(initialCount: 1) { id emails @stream { value } }'),
];

const introspections = [
  getIntrospectionQuery(),
  getIntrospectionQuery({ descriptions: false, oneOf: true, specifiedByUrl: true }),
  '{ __schema { queryType { name fields { name args { name type { name kind ofType { name } } defaultValue } } } types { name kind } directives { name isRepeatable } } }',
  '{ __type(name: "Site") { name fields(includeDeprecated: true) { name type { kind name } } } x: __type(name: "Nothing") { name } }',
  'query ($n: String!) { __type(name: $n) { __typename name enumValues { name description } } site(id: "SITE-1") { id } }',
  '{ __typename }',
  '{ __type(name: "Query") { fields { type { ofType { ofType { ofType { name } } } } } } }',
];

const plain = [
  site('id'),
  ` \n\n${site('id')}\t\n# the end`,
  `\ufeff${site('id city')}`,
  site(everything.slice(1, -1)),
  site(everything.slice(1, -1), 'SITE-4'),
  `{ conversationContext(id: "${conversation('ab01')}") ${context.replaceAll('site {', 'site @include(if: true) {')} }`,
  ...[
    ...['ab01', 'ab02', 'ab03', 'ab04', 'ab05', 'ab06', 'ab07', 'a003', 'a004', 'a006', 'a009'],
    ...['AB01'],
  ].map(
    (end) =>
      `{ conversationContext(id: "${conversation(end)}") ${everyField('ConversationContext', ['ConversationSite.site'])} }`,
  ),
  ...['ab01', 'ab02', 'ab03', 'ab04', 'a002', 'a008', 'a009'].map(
    (end) =>
      `{ conversationContext(id: "${conversation(end)}") { id sites { site { city projects { name } id } id } subject } }`,
  ),
  `{ conversationContexts(ids: ["${conversation('ab01')}", "${conversation('ab02')}", "${conversation('ab01')}", "no"]) { subject sites { site { id clients { id } } } } }`,
  '{ sites(ids: ["SITE-3", "SITE-1", "SITE-2", "SITE-1"]) { id city clients { name } } }',
  '{ sites(ids: ["SITE-1"]) { id } health { reachable statusCode latencyMs body __typename } }',
  '{ health { latencyMs } site(id: "SITE-m1") { clients { id } projects { id } primaryClient { id } primaryProject { id } } }',
];

/** Data that a writer may get wrong. */
const stressed = [
  ...['t', 'n', 'd', 'w', 'v']
    .flatMap(oddIds)
    .map((id) =>
      site(
        'id address1 city state sla createdAt serviceLevel serviceLevelLabel clients { id name isPrimary emails { value } phoneNumbers { ext } } projects { id name signingDate isPrimary }',
        id,
      ),
    ),
  ...['w', 'v'].flatMap(oddIds).map((id) => site(everything.slice(1, -1), id)),
  `{ sites(ids: ${q(oddIds('t'))}) { address1 } }`,
  `{ sites(ids: ${q(oddIds('n'))}) { sla clients { phoneNumbers { ext } } id } }`,
  site('clients { id emails { id } } projects { name id }', 'SITE-many'),
  site(everything.slice(1, -1), 'SITE-proto'),
];

/** What the upstream rejects or spoils, alone and beside what is well. */
const failing = [
  ...[201, 204, 301, 304, 401, 403, 404, 408, 410, 418, 429, 500, 503].map((status) => `SITE-s${status}`),
  ...['SITE-c500', 'SITE-p403', 'SITE-c404', 'SITE-p429', 'SITE-c503', 'SITE-wait', 'SITE-busy'],
  ...['SITE-text', 'SITE-empty', 'SITE-list', 'SITE-null', 'SITE-other', 'SITE-part', 'SITE-drop'],
  ...['SITE-bom', 'SITE-bytes', 'SITE-html'],
  ...['SITE-o500', 'SITE-8 north wing', 'SITE-9/annex', 'SITE-10 Örnsköldsvik 東京'],
].flatMap((id) => [
  site('id', id),
  site('city clients { id } primaryProject { id }', id),
  `{ bad: site(id: ${q(id)}) { id clients { id } } site(id: "SITE-1") { id } health { reachable } }`,
  `{ site(id: "SITE-1") { projects { id } } sites(ids: [${q(id)}, "SITE-2", ${q(id)}]) { id projects { name } } }`,
]);

const rejectedConversations = [401, 403, 404, 429, 500, 503].map(
  (status) =>
    `{ conversationContext(id: "${conversation(`e${status}`)}") { subject sites { site { id } } } }`,
);

export const validDocuments: ParsedParams[] = [
  ...[
    ...merged,
    ...deferred,
    ...introspections,
    ...plain,
    ...stressed,
    ...failing,
    ...rejectedConversations,
  ].map((query) => ({ query, variables: { n: 'ServiceLevel' } })),
  ...guarded,
  ...[true, false].flatMap((d) => deferred.map((query) => ({ query, variables: { d } }))),
  { query: '{ a: sites(ids: ["SITE-s403", "SITE-s403a"]) { id } b: site(id: "SITE-s403") { id } }' },
  { query: '{ a: sites(ids: ["SITE-s403", "SITE-s429"]) { id } }' },
  { query: '{ a: sites(ids: ["SITE-1", "HOUSE-1", "SITE-2"]) { id } c: site(id: "HOUSE") { id } }' },
];
