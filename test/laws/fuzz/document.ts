import fc from 'fast-check';
import { getIntrospectionQuery } from 'graphql';
import { contract } from '../../support/contract.ts';
import { type Operation, operationsOf } from '../property/operation.ts';
import { bombs } from './bombs.ts';
import { edits, tokensOf } from './edits.ts';
import { accepts, ids, oddities, placeIn, places } from './text.ts';
import { tokens } from './tokens.ts';

export interface Asked {
  query: string;
  variables: unknown;
}

const gaps = fc.constantFrom(' ', ' ', ' ', '\n', '\t', ',', ' # a comment\n', '\r\n', '\ufeff');

const valid: fc.Arbitrary<Operation> = fc.oneof(operationsOf(contract, true), operationsOf(contract, false));

const spoilt: fc.Arbitrary<Asked> = fc
  .tuple(valid, fc.array(edits, { maxLength: 3 }), gaps)
  .map(([{ text, variables }, changes, gap]) => {
    const written = tokensOf(text);
    for (const change of changes) change(written);
    return { query: written.join(gap), variables };
  });

const soups: fc.Arbitrary<Asked> = fc
  .tuple(fc.constantFrom('', '', '{ ', 'query ($x: ID) { '), fc.array(tokens, { maxLength: 40, size: 'max' }))
  .map(([head, soup]) => ({ query: head + soup.join(' '), variables: {} }));

const counts = fc.oneof(fc.nat(30), fc.nat(300), fc.nat(6000));

const grown: fc.Arbitrary<Asked> = fc
  .tuple(fc.constantFrom(...bombs), counts)
  .map(([bomb, count]) => ({ query: bomb(count), variables: {} }));

const introspections: fc.Arbitrary<Asked> = fc
  .tuple(
    fc.record({
      descriptions: fc.boolean(),
      specifiedByUrl: fc.boolean(),
      directiveIsRepeatable: fc.boolean(),
      schemaDescription: fc.boolean(),
      inputValueDeprecation: fc.boolean(),
      oneOf: fc.boolean(),
    }),
    fc.array(edits, { maxLength: 2 }),
  )
  .map(([options, changes]) => {
    const written = tokensOf(getIntrospectionQuery(options));
    for (const change of changes) change(written);
    return { query: written.join(' '), variables: {} };
  });

/** Values for the variables of a document, and for some that it does not have. */
const values: fc.Arbitrary<(variables: unknown) => unknown> = fc.oneof(
  { weight: 12, arbitrary: fc.constant((variables: unknown) => variables) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(places, fc.oneof(ids, ids, oddities))
      .map(([place, value]) => (variables: unknown) => {
        const known = Object.entries((variables ?? {}) as object);
        const name = known[placeIn(known.length - 1, place)]?.[0] ?? 'x';
        return { ...Object.fromEntries(known), [name]: value };
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .dictionary(fc.constantFrom('x', 'flag0', 'flag1', '__proto__', ''), oddities)
      .map((all) => () => all),
  },
  { weight: 1, arbitrary: oddities.map((value) => () => value) },
);

/** Documents with their variables, from valid ones to arbitrary text. */
export const documents: fc.Arbitrary<Asked> = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: spoilt },
      { weight: 1, arbitrary: soups },
      { weight: 2, arbitrary: grown },
      { weight: 1, arbitrary: introspections },
    ),
    values,
  )
  .map(([{ query, variables }, change]) => ({ query, variables: change(variables) }));

/** How a document is sent: in a body or in a URL, with further parameters. */
export const ways = fc.record({
  method: fc.constantFrom('POST', 'POST', 'POST', 'POST', 'POST', 'GET'),
  accept: accepts,
  explain: fc.constantFrom(undefined, undefined, 'plan', 'report', 'report', 'PLAN'),
  operationName: fc.constantFrom<unknown>(
    ...Array(40).fill(undefined),
    'Q',
    'Q0',
    '',
    'x'.repeat(500),
    7,
    null,
    {},
  ),
  extensions: fc.oneof({ weight: 16, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: oddities }),
});
