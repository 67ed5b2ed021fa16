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

it('finds a field by its alias, with its name', () => {
  expect(found('Two', 'a')).toEqual([[3, 'a: site', '(id: "SITE-1") {']]);
});

it('finds a field whose name and braces are in other lines', () => {
  expect(found('Two', 'b')).toEqual([[4, 'b', '']]);
});

it('finds every selection that is merged into one field, in fragments too', () => {
  expect(found('Two', 'b.clients')).toEqual([
    [8, 'clients', ' {'],
    [6, 'clients', ' {'],
  ]);
});

it('ignores the indexes of list elements', () => {
  expect(found('Two', 'b.clients.0.name')).toEqual([[8, 'name', '']]);
});

it.each([
  ['the operation of that name', 'Other', 'site.city'],
  ['the first operation without a name', undefined, 'site.city'],
])('searches %s', (_, name, path) => {
  expect(found(name, path)).toEqual([[1, 'city', '']]);
});

it('finds nothing where nothing is selected', () => {
  expect(found('Two', 'site')).toEqual([]);
  expect(found('Two', 'a.name')).toEqual([]);
});

it('finds the fields of a live query by their paths below `live`', () => {
  const live = parse('subscription { live { site(id: "SITE-1") { city } } }');
  const ranges = fieldRanges(live, undefined, ['site', 'site.city', 'live']);
  expect([...ranges].map(([path, [range]]) => [path, range?.startColumn])).toEqual([
    ['site', 23],
    ['site.city', 44],
  ]);
});
