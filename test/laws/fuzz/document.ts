import fc from 'fast-check';
import { Lexer, Source, TokenKind } from 'graphql';
import { subgraphContract as contract } from '../../support/contract.ts';
import { accepts } from '../differential/heads.ts';
import { type Operation, operationsOf } from '../property/operation.ts';
import { directives, ids, names, oddities, placeIn, places, selections, strings, tokens } from './tokens.ts';

export interface Asked {
  query: string;
  variables: unknown;
}

/** A change of a document, token by token. */
type Edit = (written: string[]) => void;

/** Replaces a matching token by the new one, or inserts that after it. */
function put(token: fc.Arbitrary<string>, fits: RegExp, behind: 0 | 1): fc.Arbitrary<Edit> {
  return fc.tuple(places, token).map(
    ([place, text]): Edit =>
      (written) => {
        const fitting = [...written.keys()].filter((n) => fits.test(written[n] ?? ''));
        const at = fitting[placeIn(fitting.length - 1, place)];
        if (at !== undefined) written.splice(at + behind, 1 - behind, text);
      },
  );
}

const removal: fc.Arbitrary<Edit> = fc.tuple(places, fc.integer({ min: 1, max: 3 })).map(
  ([place, count]) =>
    (written) =>
      void written.splice(placeIn(written.length, place), count),
);

const repetition: fc.Arbitrary<Edit> = fc
  .tuple(places, fc.constantFrom(1, 2, 5, 30, 200), fc.nat(4))
  .map(([place, times, length]) => (written) => {
    const at = placeIn(written.length, place);
    const piece = written.slice(at, at + 1 + length);
    written.splice(at, 0, ...Array.from({ length: times }, () => piece).flat());
  });

const name = /^\w/;
const literal = /^["\d]|^true$|^false$/;

/** Those that keep a document well-formed first. */
const edits: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 8, arbitrary: put(strings, literal, 0) },
  { weight: 4, arbitrary: put(directives, name, 1) },
  { weight: 4, arbitrary: put(fc.constantFrom(...names, '__typename'), name, 0) },
  { weight: 4, arbitrary: put(fc.constantFrom(...selections), /^{$/, 1) },
  { weight: 2, arbitrary: put(tokens, /./s, 1) },
  { weight: 1, arbitrary: put(tokens, /./s, 0) },
  { weight: 1, arbitrary: removal },
  { weight: 1, arbitrary: repetition },
);

function edited(text: string, changes: readonly Edit[], gap = ' '): string {
  const lexer = new Lexer(new Source(text));
  const written: string[] = [];
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    written.push(text.slice(token.start, token.end));
  }
  for (const change of changes) change(written);
  return written.join(gap);
}

const gaps = fc.constantFrom(' ', ' ', ' ', '\n', '\t', ',', ' # a comment\n', '\r\n', '\ufeff');

const valid: fc.Arbitrary<Operation> = fc.oneof(
  operationsOf(contract, ['defer', 'stream']),
  operationsOf(contract),
);

/** Documents that a few edits may have made invalid, with the variables of the valid ones. */
export function spoiltFrom(operations: fc.Arbitrary<Pick<Operation, 'text' | 'variables'>>) {
  return fc
    .tuple(operations, fc.array(edits, { maxLength: 3 }), gaps)
    .map(([{ text, variables }, changes, gap]) => ({ query: edited(text, changes, gap), variables }));
}

const spoilt: fc.Arbitrary<Asked> = spoiltFrom(valid);

const soups: fc.Arbitrary<Asked> = fc
  .tuple(fc.constantFrom('', '', '{ ', 'query ($x: ID) { '), fc.array(tokens, { maxLength: 40, size: 'max' }))
  .map(([head, soup]) => ({ query: head + soup.join(' '), variables: {} }));

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
  .tuple(fc.oneof({ weight: 8, arbitrary: spoilt }, { weight: 1, arbitrary: soups }), values)
  .map(([{ query, variables }, change]) => ({ query, variables: change(variables) }));

/** Mostly those with data. */
const acceptFields: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('application/json', 'multipart/mixed', 'text/event-stream', '*/*'),
  },
  { weight: 1, arbitrary: fc.constantFrom(...accepts.filter((field) => typeof field === 'string')) },
);

/** How a document is sent: in a body or in a URL, with further parameters. */
export const ways = fc.record({
  method: fc.constantFrom('POST', 'POST', 'POST', 'POST', 'POST', 'GET'),
  accept: acceptFields,
  explain: fc.constantFrom(undefined, undefined, 'plan', 'report', 'report', 'PLAN'),
  operationName: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>('Q', 'Q0', '', 'x'.repeat(500), 7, null, {}) },
  ),
  extensions: fc.oneof({ weight: 16, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: oddities }),
});
