import { bombs } from '../fuzz/bombs.ts';
import type { ParsedParams } from './documents.ts';

/** Documents that are rejected, or nearly. */
const syntax = [
  '',
  ' ',
  '#',
  '{',
  '}',
  '{ }',
  '{ site',
  '{ site(id: "SITE-1) { id } }',
  '{ site(id: "SITE-1") { id } } }',
  'query',
  'query {',
  '\0',
  '\ufeff',
  '{ \u00a0__typename }',
  '{ __typename \u2028 }',
  '{ a: }',
  '{ ...on }',
  '{ ... }',
  '"x"',
  '7',
  '{ __typename } extra',
  '{ site(id: "\\ud800") { id } }',
  '{ site(id: "\\u{1F600}") { id } }',
  '{ site(id: "\\x") { id } }',
  '{ é }',
  'fragment on on Query { __typename }',
];

const rules = [
  '{ nothing }',
  '{ site(id: "SITE-1") }',
  '{ site(id: "SITE-1") { nothing } }',
  '{ __typename { x } }',
  '{ health }',
  '{ health { body { x } } }',
  '{ ...Gone }',
  'fragment F on Site { id }',
  '{ ...F } fragment F on Query { ...F }',
  '{ __typename } fragment F on Site { id }',
  '{ site(id: "SITE-1") { ...F } } fragment F on Client { id }',
  '{ ... on Nothing { id } }',
  '{ ... on ServiceLevel { id } }',
  '{ site(id: "SITE-1") { id: city } a: site(id: "SITE-1") { id } a: site(id: "SITE-2") { id } }',
  '{ a: site(id: "SITE-1") { x: id x: city } }',
  'query ($x: ID) { __typename }',
  'query ($x: Nothing) { site(id: $x) { id } }',
  'query ($x: ID, $x: ID) { site(id: $x) { id } }',
  '{ site(id: $x) { id } }',
  'query ($x: ID) { site(id: $x) { id } }',
  'query ($x: Site) { __typename }',
  'query ($x: ID! = null) { site(id: $x) { id } }',
  '{ __typename @skip }',
  '{ __typename @nothing }',
  '{ __typename @skip(if: 1) }',
  '{ __typename @skip(if: true) @skip(if: true) }',
  '{ __typename @defer }',
  'query @defer { __typename }',
  '{ ... @defer(label: 1) { __typename } }',
  '{ __typename @stream }',
  '{ sites(ids: []) @stream(initialCount: -1) { id } }',
  '{ ... @defer(label: "a") { __typename } ... @defer(label: "a") { __typename } }',
  '{ site(id: "SITE-1") { id @deprecated } }',
  'mutation { x }',
  'mutation { __typename }',
  'subscription { x }',
  'subscription { site(id: "SITE-1") { id } }',
  'type X { a: Int }',
  'schema { query: Query }',
  '{ site(id: "SITE-1") { id } } type X { a: Int }',
  'extend type Query { a: Int }',
  '{ __schema { nothing } }',
  '{ __type { name } }',
  '{ __type(name: 5) { name } }',
  `{ ${Array.from({ length: 30 }, (_, n) => `x${n}`).join(' ')} }`,
  'query A { __typename } query A { __typename }',
  `{ ${'x'.repeat(3000)} }`,
];

/** Up to the limits and over them. */
const grown = bombs.flatMap((bomb) => [1, 12, 13, 51, 101].map((count) => bomb(count)));

const nested = [9, 10, 11, 12, 13, 14].map(
  (depth) => `${'{ ... '.repeat(3)}${levels(depth)}${' }'.repeat(3)}`,
);

/** As many levels of fields as there may be, by way of a type that holds itself. */
function levels(depth: number): string {
  return depth <= 1
    ? '{ __typename }'
    : `{ __schema { types ${'{ ofType '.repeat(depth - 3)}{ name }${' }'.repeat(depth - 3)} } }`;
}

const long = [32_767, 32_768, 32_769].map((length) => '{ site(id: "SITE-1") { id } }'.padEnd(length));
const wordy = [498, 499, 500, 501].map(
  (count) => `{ site(id: "SITE-1") { ${'id '.repeat(count)} ${'... { id } '.repeat(124)} } }`,
);
const many = [990, 992, 993, 994, 1000].map((count) => `{ site(id: "SITE-1") { ${'id '.repeat(count)}} }`);

export const invalidDocuments: ParsedParams[] = [
  ...syntax,
  ...rules,
  ...grown,
  ...nested,
  ...long,
  ...wordy,
  ...many,
].map((query) => ({ query }));
