import fc from 'fast-check';
import { Lexer, Source, TokenKind } from 'graphql';
import { ids, placeIn, places } from './text.ts';
import { directives, names, selections, strings, tokens } from './tokens.ts';

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

const exchange: fc.Arbitrary<Edit> = fc.tuple(places, places).map(([one, other]) => (written) => {
  const [a, b] = [placeIn(written.length - 1, one), placeIn(written.length - 1, other)];
  [written[a], written[b]] = [written[b] ?? '', written[a] ?? ''];
});

const name = /^\w/;
const literal = /^["\d]|^true$|^false$/;

/** Changes of a document, token by token; those that keep it well-formed first. */
export const edits: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 6,
    arbitrary: put(
      ids.map((id) => JSON.stringify(id)),
      literal,
      0,
    ),
  },
  { weight: 4, arbitrary: put(directives, name, 1) },
  { weight: 4, arbitrary: put(fc.constantFrom(...names, '__typename'), name, 0) },
  { weight: 4, arbitrary: put(fc.constantFrom(...selections), /^{$/, 1) },
  { weight: 2, arbitrary: put(strings, literal, 0) },
  { weight: 2, arbitrary: put(tokens, /./s, 1) },
  { weight: 1, arbitrary: put(tokens, /./s, 0) },
  { weight: 1, arbitrary: removal },
  { weight: 1, arbitrary: repetition },
  { weight: 1, arbitrary: exchange },
);

export function tokensOf(text: string): string[] {
  const lexer = new Lexer(new Source(text));
  const found: string[] = [];
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    found.push(text.slice(token.start, token.end));
  }
  return found;
}
