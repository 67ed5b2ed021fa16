/** A small request with a high cost. */
export interface Attack {
  query: string;
  variables?: Record<string, unknown>;
  headers?: Record<string, string>;
  operationName?: string;
}

/** Ids of conversations of `upstreams/rich.ts`. */
export const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-00000000ab01';
export const longConversation = '5f0c2a9e-3b1d-4c5a-9e7f-00000000ab02';
/** 50,000 messages without content: 150 kB. */
export const emptyMessages = '5f0c2a9e-3b1d-4c5a-9e7f-00000000ab04';
export const manySites = '5f0c2a9e-3b1d-4c5a-9e7f-00000000ab03';
export const severalSites = '5f0c2a9e-3b1d-4c5a-9e7f-00000000ab05';

const lineEnds = '\n'.repeat(31_000);
const times = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n));
const aliased = (count: number, field: string, prefix = 'a') =>
  times(count, (n) => `${prefix}${n}: ${field}`).join(' ');

const messages = 'messages { author role createdAt text isInternal rawBody }';
const dates =
  'cppExpDate createdAt updatedAt projects { estimatedDay1 day1StartDate warrantyExpiration signingDate }';

const copies = (selection: string, id = conversation): Attack => ({
  query: `query ($i: [ID!]!) { a: conversationContexts(ids: $i) { ${selection} } b: conversationContexts(ids: $i) { ${selection} } }`,
  variables: { i: times(50, () => id) },
});

const copiesOf45 = (field: string): Attack => ({
  query: `query ($i: [ID!]!) { a: conversationContexts(ids: $i) { ...F } b: conversationContexts(ids: $i) { ...F } } fragment F on ConversationContext { ${aliased(45, field)} }`,
  variables: { i: times(50, () => emptyMessages) },
});

const siteRelations =
  'fragment F on Site { clients { id } projects { id } primaryClient { id } primaryProject { id } }';

const belowLongAlias = (selection: string) =>
  `{ ${'l'.repeat(28_000)}: conversationContext(id: "${severalSites}") { sites { ${selection} } } }`;

/** Fragments on a type, of which each spreads the next one twice. */
const doubling = (levels: number, type: string, last: string) =>
  times(levels, (n) => `fragment F${n} on ${type} { ...F${n + 1} ...F${n + 1} }`).join(' ') +
  ` fragment F${levels} on ${type} { ${last} }`;
const inFragments = (levels: number, field: string) =>
  `${'... { '.repeat(levels)} ${field} ${'} '.repeat(levels)}`;

/** A small document that is large once its fragments are in their places, in each format of parts. */
const expanding = (levels: number, depth: number, format: string): Attack => ({
  query: `{ site(id: "SITE-1") { ... @defer { city } ...F0 } } ${doubling(levels, 'Site', inFragments(depth, 'id'))}`,
  headers: { accept: `multipart/mixed;${format}` },
});
const expandingInList = (format: string): Attack => ({
  query: `{ conversationContext(id: "${emptyMessages}") { ... @defer { labels } messages(first: 500) { ...F0 } } } ${doubling(10, 'Message', inFragments(1, 'author'))}`,
  headers: { accept: `multipart/mixed;${format}` },
});
const v01 = 'deferSpec=20220824';
const v02 = 'incrementalSpec=v0.2';

/** One site with its clients: the unit of cost. */
export const plain: Attack = { query: '{ site(id: "SITE-1") { id city clients { name } } }' };

const site = (id: string) => ({ __typename: 'Site', id });
const context = (id: string) => ({ __typename: 'ConversationContext', id });

/** The same selection of entities by one field or by several; sent to a gateway with `FEDERATION=on`. */
const entities = (
  representations: readonly unknown[],
  selection: string,
  { fields = 2, before = '', after = '', headers = {} } = {},
): Attack => ({
  query: `query ($r: [_Any!]!) {${before}${aliased(fields, `_entities(representations: $r) { ${selection} }`)} } ${after}`,
  variables: { r: representations },
  headers,
});

/** A list makes a text of itself in a time that grows with the square of its depth. */
const typesInLists = times(50, () => ({
  __typename: JSON.parse(`${'['.repeat(1200)}${']'.repeat(1200)}`),
  id: 'SITE-1',
}));

/** The most expensive requests known, by their names in attack-bounds.ts. */
export const attacks: Record<string, Attack> = {
  'bad ids in 50 lists, after 31,000 line ends': {
    query: `query ($i: [ID!]!) {${lineEnds}${aliased(50, 'sites(ids: $i) { id }')} }`,
    variables: { i: times(50, () => 'x') },
  },
  'bad ids in 2 lists, after 31,000 line ends': {
    query: `query ($i: [ID!]!) {${lineEnds}${aliased(2, 'sites(ids: $i) { id }')} }`,
    variables: { i: times(50, () => 'x') },
  },
  '100 copies of a site with 19 malformed dates': {
    query: `query ($i: [ID!]!) {${'\n'.repeat(30_000)}${aliased(2, `sites(ids: $i) { ${dates} }`)} }`,
    variables: { i: times(50, () => 'SITE-1') },
  },
  'one malformed date under 90 aliases in 100 copies': {
    query: `query ($i: [ID!]!) { x: sites(ids: $i) { ...F } y: sites(ids: $i) { ...F } } fragment F on Site { ${aliased(45, 'createdAt')} }`,
    variables: { i: times(50, () => 'SITE-1') },
  },
  'one malformed date 900 times in the text': {
    query: `query ($i: [ID!]!) {${'\n'.repeat(20_000)} sites(ids: $i) { ${'createdAt '.repeat(900)}} }`,
    variables: { i: times(50, () => 'SITE-2') },
  },
  '2,500 copies of a conversation': {
    query: `query ($i: [ID!]!) { ${aliased(50, 'conversationContexts(ids: $i) { ...F }')} } fragment F on ConversationContext { x: ${messages} y: ${messages} }`,
    variables: { i: times(50, () => conversation) },
  },
  '100 copies of a conversation, its messages twice': copies(`x: ${messages} y: ${messages}`),
  '100 copies of a conversation, its messages 40 times': {
    query: `query ($i: [ID!]!) { a: conversationContexts(ids: $i) { ...F } b: conversationContexts(ids: $i) { ...F } } fragment F on ConversationContext { ${aliased(40, 'messages { ...G }')} } fragment G on Message { author text }`,
    variables: { i: times(50, () => conversation) },
  },
  '100 copies of a conversation of 5,000 messages': copies(messages, longConversation),
  'the same in parts': {
    ...copies(`... @defer { ${messages} }`, longConversation),
    headers: { accept: 'multipart/mixed' },
  },
  'the same as a stream': {
    ...copies('messages @stream { author text }', longConversation),
    headers: { accept: 'multipart/mixed' },
  },
  'a text of 1 MB 4,900 times': copies(aliased(49, 'subject'), longConversation),
  'a health body of 1 MB under 50 aliases': { query: `{ ${aliased(50, 'health { body }')} }` },
  'an alias of 30,000 letters in a list of 5,000': {
    query: `{ conversationContext(id: "${longConversation}") { messages { ${'a'.repeat(30_000)}: author } } }`,
  },
  'a conversation with 5,000 sites, each a REST call': {
    query: `{ conversationContext(id: "${manySites}") { sites { ${aliased(8, 'site { city }')} } } }`,
  },
  'selections that variables decide, in every element': {
    query: `query ($t: Boolean = true, $i: [ID!]!) { conversationContexts(ids: $i) { sites { ${times(45, (n) => `a${n}: site @include(if: $t) { id }`).join(' ')} } } }`,
    variables: { i: times(50, () => conversation) },
  },
  'the whole schema twice': {
    query:
      '{ a: __schema { ...S } b: __schema { ...S } } fragment S on __Schema { types { name description fields { name description args { name description } type { name kind ofType { name kind ofType { name } } } } inputFields { name } enumValues { name description } } directives { name description args { name } } }',
  },
  'conflicting fields, after 20,000 line ends': {
    query: `{${'\n'.repeat(20_000)} site(id: "SITE-1") { ${times(45, () => 'a: city')} ${times(45, () => 'a: zip')} ${times(80, (n) => `x: f${n}`)} } }`,
  },
  'unknown fields, after 25,000 line ends': {
    query: `{${'\n'.repeat(25_000)} site(id: "SITE-1") { ${times(900, (n) => `x${n}`).join(' ')} } }`,
  },
  'a list of 30,000 ids': {
    query: 'query ($i: [ID!]!) { sites(ids: $i) { id } }',
    variables: { i: times(30_000, () => 'x') },
  },
  'values of the wrong type': {
    query: 'query ($i: [ID!]!) { sites(ids: $i) { id } }',
    variables: { i: times(9000, () => ({ a: 'bbbb' })) },
  },
  'the plan of 50 fields for 100 sites': {
    query: `query ($i: [ID!]!) { ${aliased(2, `sites(ids: $i) { ${aliased(45, 'clients { name }')} }`)} }`,
    variables: { i: times(50, (n) => `SITE-${n}`) },
    headers: { 'x-explain': 'plan' },
  },
  'the plan of 2,200 sites in 44 lists': {
    query: `query (${times(44, (n) => `$v${n}: [ID!]!`).join(' ')}) { ${times(44, (n) => `a${n}: sites(ids: $v${n}) { ...F }`).join(' ')} } ${siteRelations}`,
    variables: Object.fromEntries(times(44, (n) => [`v${n}`, times(50, (m) => `SITE-${n}-${m}`)])),
    headers: { 'x-explain': 'plan' },
  },
  'the plan of 50 sites in each of 50 lists of 500 letters': {
    query: `query ($i: [ID!]!) { ${times(50, (n) => `a${n}${'l'.repeat(500)}: sites(ids: $i) { ...F }`).join(' ')} } ${siteRelations}`,
    variables: { i: times(50, (n) => `SITE-${n}`) },
    headers: { 'x-explain': 'plan', accept: 'multipart/mixed' },
  },
  'the plan of 98 fields below an alias of 28,000 letters': {
    query: `${belowLongAlias(aliased(98, 'site { ...F }'))} ${siteRelations}`,
    headers: { 'x-explain': 'plan' },
  },
  'the report of 90 fields below an alias of 28,000 letters': {
    query: belowLongAlias(aliased(90, 'site { city }')),
    headers: { 'x-explain': 'report' },
  },
  'an operation name of 32,000 letters': {
    query: `query ${'n'.repeat(32_000)} { site(id: "SITE-1") { id } }`,
  },
  'selections that are merged 840 times': {
    query: `{ site(id: "SITE-1") { ${'city zip '.repeat(100)}} site(id: "SITE-1") { ${'city '.repeat(640)}} }`,
  },
  'selections that are merged at two levels': {
    query: `{ conversationContext(id: "${conversation}") { sites { ${'site { ...A } '.repeat(10)}} sites { ${`site { ${'city zip '.repeat(8)}} `.repeat(10)}} } } fragment A on Site { ${'city '.repeat(400)}}`,
  },
  'a million fragments out of twelve, in v0.1': expanding(12, 240, v01),
  'a million fragments out of twelve, in v0.2': expanding(12, 240, v02),
  '4,000 selections out of ten fragments, in v0.1': expanding(10, 1, v01),
  '4,000 selections out of ten fragments, in v0.2': expanding(10, 1, v02),
  '2,500 selections 300 deep, in v0.1': expanding(3, 300, v01),
  '2,500 selections 300 deep, in v0.2': expanding(3, 300, v02),
  '4,000 selections in each of 500 elements, in v0.1': expandingInList(v01),
  '4,000 selections in each of 500 elements, in v0.2': expandingInList(v02),
  'a type of 16,000 letters, misspelt': {
    query: `query q { __typename ... on ${'a'.repeat(11_500)}${'c'.repeat(4500)} { __typename } } type ${'a'.repeat(16_000)}`,
  },
  'none of 50,000 messages 4,500 times': copiesOf45('messages(first: 0) { author }'),
  'some of 50,000 messages 4,500 times': copiesOf45('messages(isInternal: true) { author }'),
  'the primary one of 20,000 clients 4,500 times': {
    query: `query ($i: [ID!]!) { a: sites(ids: $i) { ...F } b: sites(ids: $i) { ...F } } fragment F on Site { ${aliased(45, 'primaryClient { name }')} }`,
    variables: { i: times(50, () => 'SITE-20000') },
  },
  'bad representations in 50 lists, after 31,000 line ends': entities(
    times(50, () => ({})),
    '__typename',
    { fields: 50, before: lineEnds },
  ),
  'bad representations in 2 lists, after 31,000 line ends': entities(
    times(50, () => ({})),
    '__typename',
    { before: lineEnds },
  ),
  'a list of 40,000 representations': entities(
    times(40_000, () => ({})),
    '__typename',
    { fields: 1 },
  ),
  'representations 4,000 levels deep': entities(
    times(3, () => JSON.parse(`${'{"id":'.repeat(4000)}0${'}'.repeat(4000)}`)),
    '__typename',
  ),
  'types of 50 representations that are 1,200 lists in one another': entities(typesInLists, '__typename', {
    fields: 1,
  }),
  'the plan of these': entities(typesInLists, '__typename', {
    fields: 1,
    headers: { 'x-explain': 'plan' },
  }),
  'types of 2,000 representations without a text': entities(
    times(2000, () => ({ __typename: { toString: 'x' }, id: 'SITE-1' })),
    '__typename',
  ),
  'types of 100 representations without a text': entities(
    times(50, () => ({ __typename: { toString: 'x' }, id: 'SITE-1' })),
    '__typename',
  ),
  'types that are lists in the text': {
    query: `{ _entities(representations: [${'{ __typename: [[]], id: "SITE-1" } '.repeat(50)}]) { __typename } }`,
  },
  '100 entities, the messages of each 20 times': entities(
    times(50, () => context(conversation)),
    '... on ConversationContext { ...C } ... on Site { id }',
    {
      after: `fragment C on ConversationContext { ${aliased(20, 'messages { ...M }')} } fragment M on Message { author text }`,
    },
  ),
  '100 entities of both types with 23 fields of each': entities(
    times(50, (n) => (n % 2 === 0 ? site('SITE-1') : context(conversation))),
    '... on Site { ...S } ... on ConversationContext { ...C }',
    {
      after: `fragment S on Site { ${aliased(23, 'createdAt')} } fragment C on ConversationContext { ${aliased(23, 'subject', 'c')} }`,
    },
  ),
  'fragments of both types, each inside of the other': entities(
    times(50, () => site('SITE-1')),
    '...A ...A',
    {
      after: `fragment A on _Entity { ${'... on Site { ...B city } ... on ConversationContext { ...B id } '.repeat(10)}} fragment B on _Entity { ${'... on Site { zip } __typename '.repeat(20)}}`,
    },
  ),
  'conflicting fields of both types': entities(
    [site('SITE-1')],
    `... on Site { ${times(48, () => 'a: city')} } ... on ConversationContext { ${times(48, () => 'a: labels')} }`,
    { fields: 1 },
  ),
  'the plan of 90 fields for 50 entities': entities(
    times(50, (n) => (n % 2 === 0 ? site(`SITE-${n}`) : context(conversation.slice(0, -2) + String(n + 10)))),
    '... on Site { ...S } ... on ConversationContext { ...C }',
    {
      fields: 1,
      after: `${siteRelations.replace('fragment F', 'fragment S')} fragment C on ConversationContext { sites { ${aliased(90, 'site { ...S }')} } }`,
      headers: { 'x-explain': 'plan' },
    },
  ),
  'the schema for a router three times': { query: '{ _service { sdl a: sdl } b: _service { sdl } }' },
  '15,800 blanks in a content type': {
    ...plain,
    headers: { 'content-type': `application/json;a=${' '.repeat(15_800)}x` },
  },
  '15,800 media types in an Accept field': {
    ...plain,
    headers: { accept: `text/event-stream;${','.repeat(15_800)}` },
  },
};
