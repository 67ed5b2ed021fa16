import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { fieldRanges } from '../../graphiql/cost/marks/field-ranges.ts';

const text = `query Other { site { city } }
query Two {
  a: site(id: "SITE-1") { ...Card }
  b:
    site(id: "SITE-2")
    { ...Card ... @defer { clients { id } } }
}
fragment Card on Site { id clients { name } ...Card }
`;

/** The text of each range, with its line and what a note on it would follow. */
function found(operationName: string | undefined, path: string): [number, string, string][] {
  const ranges = fieldRanges(parse(text), operationName, [path]).get(path) ?? [];
  return ranges.map(({ line, startColumn, endColumn, noteColumn }) => {
    const whole = text.split('\n')[line - 1] ?? '';
    return [line, whole.slice(startColumn - 1, endColumn - 1), whole.slice(endColumn - 1, noteColumn - 1)];
  });
}

it.each<[string, string | undefined, string, ReturnType<typeof found>]>([
  ['a field by its alias, with its name', 'Two', 'a', [[3, 'a: site', '(id: "SITE-1") {']]],
  ['a field whose name and braces are in other lines', 'Two', 'b', [[4, 'b', '']]],
  [
    'every selection that is merged into one field, in fragments too',
    'Two',
    'b.clients',
    [
      [8, 'clients', ' {'],
      [6, 'clients', ' {'],
    ],
  ],
  ['a field below the index of a list element', 'Two', 'b.clients.0.name', [[8, 'name', '']]],
  ['a field of the operation of that name', 'Other', 'site.city', [[1, 'city', '']]],
  ['a field of the first operation without a name', undefined, 'site.city', [[1, 'city', '']]],
  ['nothing where nothing is selected', 'Two', 'a.name', []],
])('finds %s', (_, name, path, ranges) => {
  expect(found(name, path)).toEqual(ranges);
});

it('finds the fields of a live query by their paths below `live`', () => {
  const live = parse('subscription { live { site(id: "SITE-1") { city } } }');
  const ranges = fieldRanges(live, undefined, ['site', 'site.city', 'live']);
  expect([...ranges].map(([path, [range]]) => [path, range?.startColumn])).toEqual([
    ['site', 23],
    ['site.city', 44],
  ]);
});
