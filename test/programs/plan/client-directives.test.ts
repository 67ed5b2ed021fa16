import { expect, it } from 'vitest';
import { planIn, writeFiles } from './plan-in.ts';

const relay = `query Page($id: ID!, $unused: Int) @preloadable @raw_response_type @throwOnFieldError {
  site(id: $id) @required(action: LOG) {
    ...Card @alias(as: "card") @relay(mask: false)
    nothing @updatable { a(b: $unused) }
    clients @connection(key: "clients") @catch(to: NULL) { id }
  }
}
fragment Card on Site @inline
  @refetchable(queryName: "CardQuery") { projects { id } }
query Local @updatable { nothing }`;

it.each([
  ['Relay', relay],
  [
    'Apollo Client',
    `query Page($id: ID!, $n: Int) { isOpen @client site(id: $id) { ...F @unmask local(n: $n) @client } }
    fragment F on Site { ...L city @nonreactive } fragment L on Site { local @client }`,
  ],
  ['urql', 'query Page($id: ID!) { site(id: $id) @_required { city @_optional } }'],
  [
    'Apollo Client, with nothing left',
    'query A($b: Int) { local @client health { time(b: $b) @client } ...F } fragment F on Query { local @client }',
  ],
])('plans documents as they are sent: %s', async (_, text) => {
  const folder = await writeFiles({ 'a.graphql': text, 'manifest.json': JSON.stringify({ a: text }) });
  const { lines, faults } = await planIn(folder, ['a.graphql'], { isJson: true });
  expect(faults).toEqual([]);
  expect(JSON.parse(lines.join('\n')).operations).toMatchObject([{ formula: '1' }]);
  // A manifest has what is sent.
  expect((await planIn(folder, ['manifest.json'])).faults).not.toEqual([]);
});

it.each([
  [
    'a variable that nothing uses',
    'query A($n: Int) { health { reachable } }',
    '1:9: Variable "$n" is never used',
  ],
  ['another directive', 'query A { health { reachable @stripped } }', '1:30: Unknown directive "@stripped".'],
  [
    'arguments of a fragment, which Relay writes into the document',
    `query A($ids: [ID!]!) { ...Sites @arguments(ids: ["SITE-1"]) }
    fragment Sites on Query { sites(ids: $ids) { id } }`,
    '1:34: Unknown directive "@arguments".',
  ],
])('leaves what is sent, or cannot be planned, for a rejection: %s', async (_, text, fault) => {
  const { faults } = await planIn(await writeFiles({ 'a.graphql': text }), ['a.graphql']);
  expect(faults).toContainEqual(expect.stringContaining(`a.graphql:${fault}`));
});
