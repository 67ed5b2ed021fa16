import { expect, it } from 'vitest';
import { isEmpty, problemOf } from '../../graphiql/cost/plan/validity.ts';
import { schema } from '../../src/schema/index.ts';

const query = 'query One($id: ID!) { site(id: $id) { city } } query Two { health { statusCode } }';

it.each<[string, string, string | undefined, Record<string, unknown> | undefined]>([
  ['Syntax Error', '{ site(', undefined, undefined],
  ['no operation', 'fragment Card on Site { id }', undefined, undefined],
  ['Cannot query field "town"', '{ site(id: "SITE-1") { town } }', undefined, undefined],
  ['Variable "$id" of required type "ID!"', query, 'One', {}],
])('finds: %s', (message, text, operationName, variables) => {
  expect(problemOf(text, operationName, variables, schema)).toContain(message);
});

it('finds nothing in an operation that can be planned, or whose schema is not known', () => {
  expect(problemOf(query, 'One', { id: 'SITE-1' }, schema)).toBeUndefined();
  expect(problemOf(query, 'Two', undefined, schema)).toBeUndefined();
  expect(problemOf('{ site(id: "SITE-1") { town } }', undefined, undefined, null)).toBeUndefined();
});

it.each([
  ['', true],
  [' ,\ufeff\r\n# a comment # { health }\r\n', true],
  ['# a comment\r{ health }', false],
  // Runs of hashes took twice the time for each further one.
  ['#'.repeat(100_000), true],
  [`${'#'.repeat(100_000)}\n{ health }`, false],
])('finds a text without an operation: %#', (text, expected) => {
  expect(isEmpty(text)).toBe(expected);
});
