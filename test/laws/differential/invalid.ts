import { bombs } from '../fuzz/bombs.ts';
import type { ParsedParams } from './documents.ts';

/** Documents that are rejected, or nearly. */
const syntax = [
  '',
  '#',
  '{',
  '{ site(id: "SITE-1) { id } }',
  '\0',
  '{ \u00a0__typename }',
  '{ __typename } extra',
  '{ site(id: "\\ud800") { id } }',
  '{ site(id: "\\u{1F600}") { id } }',
  'fragment on on Query { __typename }',
];

const rules = [
  '{ site(id: "SITE-1") { nothing } }',
  '{ ...Gone }',
  '{ ...F } fragment F on Query { ...F }',
  '{ site(id: "SITE-1") { ...F } } fragment F on Client { id }',
  '{ site(id: "SITE-1") { id: city } a: site(id: "SITE-1") { id } a: site(id: "SITE-2") { id } }',
  'query ($x: ID) { __typename }',
  '{ site(id: $x) { id } }',
  'query ($x: ID) { site(id: $x) { id } }',
  'query ($x: ID! = null) { site(id: $x) { id } }',
  '{ __typename @nothing }',
  '{ __typename @defer }',
  '{ ... @defer(label: 1) { __typename } }',
  '{ sites(ids: []) @stream(initialCount: -1) { id } }',
  '{ ... @defer(label: "a") { __typename } ... @defer(label: "a") { __typename } }',
  'mutation { x }',
  'subscription { x }',
  'type X { a: Int }',
  '{ site(id: "SITE-1") { id } } type X { a: Int }',
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
