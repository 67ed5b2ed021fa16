import { ApolloClient, ApolloLink, InMemoryCache } from '@apollo/client';
import { LocalState } from '@apollo/client/local-state';
import { formatDocument } from '@urql/core';
import fc from 'fast-check';
import { type DocumentNode, Kind, parse, print, type SelectionNode, visit } from 'graphql';
import { of } from 'rxjs';
import { expect, it, onTestFinished, vi } from 'vitest';
import { asSent } from '../../../src/programs/plan/client-directives.ts';
import { planIn, writeFiles } from './plan-in.ts';

/** What is planned of texts that are one document. */
function sentText(texts: readonly string[]): string {
  const { definitions } = asSent(texts.flatMap((text) => parse(text).definitions));
  return print({ kind: Kind.DOCUMENT, definitions });
}

/** The document that Apollo Client sends; undefined where it sends nothing. */
async function sentByApollo(text: string): Promise<DocumentNode | undefined> {
  let sent: DocumentNode | undefined;
  const link = new ApolloLink(({ query }) => {
    sent = query;
    return of({ data: {} });
  });
  const client = new ApolloClient({ cache: new InMemoryCache(), link, localState: new LocalState() });
  await client
    .query({ query: parse(text), errorPolicy: 'ignore', fetchPolicy: 'no-cache', variables: { a: 1, b: 1 } })
    .catch(() => {});
  client.stop();
  return sent;
}

/** A document without what differs by design: the names of types beside other fields, and unused fragments. */
function comparable(document: DocumentNode): string {
  const isTypename = (one: SelectionNode) => one.kind === Kind.FIELD && one.name.value === '__typename';
  const used = new Set<string>();
  const found = visit(document, {
    SelectionSet(node) {
      const others = node.selections.filter((one) => !isTypename(one));
      return { ...node, selections: others.length > 0 ? others : node.selections.slice(0, 1) };
    },
    FragmentSpread: ({ name }) => void used.add(name.value),
  });
  const definitions = found.definitions.filter(
    (node) => node.kind !== Kind.FRAGMENT_DEFINITION || used.has(node.name.value),
  );
  return print({ ...found, definitions });
}

it('removes what Apollo Client removes', async () => {
  // It warns that no resolver is there for local fields.
  const { mockRestore } = vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(mockRestore);
  const directive = fc.constantFrom(
    '',
    '',
    ' @client',
    ' @connection(key: "k")',
    ' @nonreactive',
    ' @include(if: $a)',
  );
  const { selections } = fc.letrec<{ selections: string; selection: string }>((tie) => ({
    selection: fc.oneof(
      { maxDepth: 3 },
      fc
        .tuple(fc.constantFrom('a', 'b(c: $b)', 'x: y(c: {d: [$b]})'), directive)
        .map((parts) => parts.join('')),
      fc
        .tuple(fc.constantFrom('...F', '...G'), fc.constantFrom('', ' @unmask', ' @client'))
        .map((parts) => parts.join('')),
      fc
        .tuple(fc.constantFrom('e', '... on Query'), directive, tie('selections'))
        .map((parts) => parts.join('')),
    ),
    selections: fc
      .array(tie('selection'), { minLength: 1, maxLength: 3 })
      .map((all) => `{ ${all.join(' ')} }`),
  }));
  const text = fc
    .tuple(selections, selections, selections)
    // No fragment spreads another one in a circle.
    .map(([a, f, g]) => [
      `query Q(\n# (\n$a: Boolean = true, $b: Int) { ...F ...G ${a.slice(1)}`,
      `fragment F on Query ${f.replaceAll('...F', 'f').replaceAll('...G', 'g')}`,
      `fragment G on Query ${g.replaceAll('...G', 'g')}`,
    ]);
  await fc.assert(
    fc.asyncProperty(text, async (texts) => {
      const sent = await sentByApollo(texts.join('\n'));
      const planned = parse(sentText(texts) || 'fragment X on T { a }');
      const hasOperation = planned.definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION);
      expect(hasOperation).toBe(sent !== undefined);
      if (sent) expect(comparable(planned)).toBe(comparable(sent));
    }),
    { numRuns: 200 },
  );
});

it('removes what urql removes', () => {
  const text =
    'query Q($a: Int) @_b { c @_optional d @_required(e: [{ f: "}" }]) { g ...F @_h } } fragment F on T @_i { j }';
  expect(print(parse(sentText([text])))).toBe(comparable(formatDocument(parse(text)) as DocumentNode));
});

const relay = `query Page($id: ID!, $unused: Int) @preloadable @raw_response_type @throwOnFieldError {
  site(id: $id) @required(action: LOG) {
    ...Card @arguments(size: $unused) @alias(as: "card") @relay(mask: false)
    clients @connection(key: "clients") @catch(to: NULL) { id }
  }
}
fragment Card on Site @argumentDefinitions(size: { type: "Int", defaultValue: 1 }) @inline
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
  ['an operation that is not sent', 'query Local { isOpen @client } { health { reachable } }'],
])('plans documents as they are sent: %s', async (_, text) => {
  const folder = await writeFiles({ 'a.graphql': text, 'manifest.json': JSON.stringify({ a: text }) });
  const { lines, faults } = await planIn(folder, ['a.graphql'], { isJson: true });
  expect(faults).toEqual([]);
  expect(JSON.parse(lines.join('\n')).operations).toMatchObject([{ formula: '1' }]);
  // A manifest has what is sent.
  expect((await planIn(folder, ['manifest.json'])).faults).not.toEqual([]);
});

it('leaves what the clients send, for the gateway to reject', async () => {
  const text =
    'query A($n: Int) { health { reachable @stripped } } query B($n: Int) { health { body @client } }';
  expect(sentText([text]).replace(/\s+/g, ' ')).toBe(
    'query A($n: Int) { health { reachable @stripped } } query B { health { __typename } }',
  );
  const { faults } = await planIn(await writeFiles({ 'a.graphql': text }), ['a.graphql']);
  expect(faults).toContain('a.graphql:1:9: Variable "$n" is never used in operation "A".');
});

it('reports a fragment that reads arguments of its own, which Relay writes into the document', async () => {
  const text = `query A($ids: [ID!]!) { ...Sites @arguments(ids: ["SITE-1"]) }
fragment Sites on Query @argumentDefinitions(ids: { type: "[ID!]!" }) { sites(ids: $ids) { id } }`;
  const { faults } = await planIn(await writeFiles({ 'a.graphql': text }), ['a.graphql']);
  expect(faults).toContain(
    'a.graphql:2:84: $ids is an argument of the fragment, whose value Relay writes into the document: plan its manifest',
  );
});
