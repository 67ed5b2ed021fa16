import fc from 'fast-check';
import { type FieldNode, GraphQLError, getLocation, Kind, parse, print, Source, visit } from 'graphql';
import { expect, it } from 'vitest';
import { documentText, located, parseSource, relocated } from '../../src/schema/locations.ts';

const blank = fc.constantFrom('\n', '\r\n', '\r', ' ', '\t', '# a comment\n', ',');
const text = fc
  .array(fc.tuple(fc.array(blank), fc.constantFrom('a', 'b { c }', 'd(e: "é\u{1f600}")')), { minLength: 1 })
  .map((fields) => `{ ${fields.map(([blanks, field]) => `${blanks.join('')} ${field}`).join(' ')} }`);

it('equal those of graphql-js, in any text', () => {
  fc.assert(
    fc.property(text, (body) => {
      const document = parseSource(body);
      expect(documentText(document)).toBe(body);
      expect(JSON.stringify(located(parseSource(body, { noLocation: true })))).toBe(JSON.stringify(document));
      const nodes: FieldNode[] = [];
      visit(document, { [Kind.FIELD]: (node) => void nodes.push(node) });
      const source = new Source(body);
      const expected = nodes.slice(0, 10).map(({ loc }) => getLocation(source, loc?.start ?? -1));
      expect(relocated(new GraphQLError('m', { nodes })).locations).toEqual(expected);
      expect(relocated(relocated(new GraphQLError('m', { nodes }))).toJSON()).toEqual({
        message: 'm',
        locations: expected,
      });
    }),
  );
});

it('has the printed text of a document that is made of parts of others', () => {
  const parts = ['{ a ...F }', 'fragment F on Query { b @skip(if: true) }'].map((body) => parseSource(body));
  const document = {
    kind: Kind.DOCUMENT,
    definitions: parts.flatMap(({ definitions }) => definitions),
  } as const;
  expect(documentText(document)).toBe(print(document));
  expect(parse(documentText(document)).definitions).toHaveLength(2);
});
