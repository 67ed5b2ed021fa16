import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { toolsFrom } from '../../../src/programs/mcp/tools.ts';

function read(texts: Record<string, string>) {
  const documents = Object.entries(texts).map(([id, text]) => [id, { document: parse(text) }] as const);
  return toolsFrom(new Map(documents), () => ({ cost: '', faults: [] }));
}

it('describes the variables of an operation in JSON Schema', () => {
  const { tools, faults } = read({
    one: `
      "One."
      query One(
        "The ids." $ids: [ID!]!, $matrix: [[Float]], $flag: Boolean! = true, $text: String, $other: JSON
        $count: Int! = 3, $list: [Int!] = [1, 2]
      ) { sites(ids: $ids) { id } }`,
  });
  expect(faults).toEqual([]);
  expect(tools.get('One')?.definition.inputSchema).toEqual({
    type: 'object',
    properties: {
      ids: { type: 'array', items: { type: 'string' }, description: 'The ids.' },
      matrix: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
      flag: { type: 'boolean', default: true },
      text: { type: 'string' },
      other: {},
      count: { type: 'integer', default: 3 },
      list: { type: 'array', items: { type: 'integer' }, default: [1, 2] },
    },
    required: ['ids'],
    additionalProperties: false,
  });
});

it('leaves out operations without a description, and live queries', () => {
  const { tools } = read({
    page: 'query Page { health { reachable } }',
    empty: '"" query Empty { health { reachable } }',
    live: '"Live." subscription Live { live { health { reachable } } }',
    tool: '"A tool." query Tool { health { reachable } }',
  });
  expect([...tools.keys()]).toEqual(['Tool']);
  expect(tools.get('Tool')?.documentId).toBe('tool');
});

const health = '{ health { reachable } }';
const messages = (given: string) => `{ conversationContext(id: "a") { messages${given} { text } } }`;
const unbounded =
  'has a fault in "id": One: messages must have first or last, as a number or a variable with a default';
const withVariable = (definition: string) => `"One." query One(${definition}) ${messages('(last: $last)')}`;
const withFragment = `"One." query One { conversationContext(id: "a") { ...Texts } }
  fragment Texts on ConversationContext { messages { text } }`;

it.each<[string, string, string[]]>([
  ['no name', `"One." query ${health}`, ['has a fault in "id": : the name must have 1 to 64 characters']],
  [
    'a name that is too long',
    `"One." query ${'N'.repeat(65)} ${health}`,
    [`has a fault in "id": ${'N'.repeat(65)}: the name must have 1 to 64 characters`],
  ],
  [
    'a variable that the protocol would lose',
    '"One." query One($__proto__: ID!) { site(id: $__proto__) { id } }',
    ['has a fault in "id": One: no variable may have the name __proto__'],
  ],
  ['messages with first', `"One." query One ${messages('(first: 3)')}`, []],
  ['messages without both', `"One." query One ${messages('(isInternal: false)')}`, [unbounded]],
  ['messages without both in a fragment', withFragment, [unbounded]],
  ['messages with a variable that may have no value', withVariable('$last: Int'), [unbounded]],
  ['messages with a variable that has a default', withVariable('$last: Int = 5'), []],
  ['messages with null', `"One." query One ${messages('(last: null)')}`, [unbounded]],
  ['messages with a variable that has null as its default', withVariable('$last: Int = null'), [unbounded]],
  ['messages with a variable that is required', withVariable('$last: Int!'), []],
  ['messages without both in another operation', `"One." query One ${health} query Two ${messages('')}`, []],
])('reads a document with %s', (_, text, faults) => {
  expect(read({ id: text }).faults).toEqual(faults);
});

it('rejects two tools of one name', () => {
  const tool = `"One." query One ${health}`;
  expect(read({ a: tool, b: `${tool} query Two ${health}` }).faults).toEqual([
    'has a fault in "b": One: another query with a description has this name',
  ]);
});

it('limits the size of a tool to 2048 bytes', () => {
  const faultsAt = (length: number) => read({ id: `"${'d'.repeat(length)}" query One ${health}` });
  const size = Buffer.byteLength(JSON.stringify(faultsAt(100).tools.get('One')?.definition));
  expect(faultsAt(100 + 2048 - size).faults).toEqual([]);
  expect(faultsAt(100 + 2049 - size).faults).toEqual([
    'has a fault in "id": One: as a tool it has 2049 bytes; at most 2048 are allowed: shorten the descriptions',
  ]);
});

it('limits the number of tools to 100', () => {
  const documentsOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [n, `"One." query Q${n} ${health}`]));
  expect(read(documentsOf(100)).faults).toEqual([]);
  expect(read(documentsOf(101)).faults).toEqual(['must have at most 100 queries with a description']);
});
