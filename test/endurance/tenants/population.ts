/** Keys and ids that collide where only a part of a key is compared, or a key and an id are joined. */

const first = 'tenants-';
const stem = `${first}0123456789abcdef0123456`;

/** Twenty keys: fourteen differ in their last character alone, those after them share their first eight. */
export const keys: readonly string[] = [
  ...Array.from('abcdefghijklmn', (last) => stem + last),
  `${first}7`,
  // A path that is joined before a key may end like these begin.
  `s${stem}a`,
  `?include=clients${stem}a`,
  `/v1/site/SITE-1?include=projects${stem}a`,
  `0${stem}b`,
  // An id that is joined after a key may begin like this ends.
  `${stem}aSITE-1`,
];

/** The keys that exceed their rate limit now and then. */
export const limitedKeys: ReadonlySet<string> = new Set([`${stem}c`, `${stem}d`]);

const siteIds: readonly string[] = [
  'SITE-1',
  'SITE-10',
  'SITE-1SITE-1',
  'SITE-1?include=clients',
  'SITE-1?include=clients,projects',
  'SITE-1%3Finclude%3Dclients',
  'SITE-1/v1/site/SITE-1',
  'SITE-1%2Fv1%2Fsite%2FSITE-1',
  'SITE-1&include=projects',
  'SITE-1 ',
  'SITE- 1',
  'SITE-1#',
  `SITE-1${stem}a`,
  `SITE-1:${stem}b`,
  'SITE-__proto__',
  'SITE-Ünter den Linden 1',
];

const conversationIds: readonly string[] = Array.from(
  { length: 6 },
  (_, n) => `5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e0${n}`,
);

/** The sites of a conversation, the same for every key. */
export function sitesOf(conversationId: string): string[] {
  const at = conversationIds.indexOf(conversationId);
  return [0, 1, 2].map((n) => siteIds[(at * 2 + n) % siteIds.length] ?? '');
}

export function oneOf<T>(items: readonly [T, ...T[]] | readonly T[]): T {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
}

export interface Operation {
  query: string;
  variables: Record<string, unknown>;
  /** Whether the response is incremental. */
  isIncremental: boolean;
  /** The ids of the objects at the root, in order. */
  ids: string[];
}

const address = 'id address1 city businessName accountManager { id lastName }';
const clients = 'clients { id name emails { id value } }';
const projects = 'projects { id name stage }';
const conversation =
  'id subject labels requester messages { author text } participants { agents clients { name } }';

/** The fields of the root, with the type of their variable; every list there is `found`. */
const roots = {
  site: { type: 'ID!', of: siteIds },
  sites: { type: '[ID!]!', of: siteIds },
  conversationContext: { type: 'ID!', of: conversationIds },
  conversationContexts: { type: '[ID!]!', of: conversationIds },
  _entities: { type: '[_Any!]!', of: [...siteIds, ...conversationIds] },
};

const operations: (readonly [keyof typeof roots, string])[] = [
  ['site', address],
  ['site', `${address} ${clients}`],
  ['site', `${address} primaryClient { id name } ${projects}`],
  ['site', `${address} ... @defer { ${clients} }`],
  ['site', `${address} ${projects} ... @defer { primaryClient { name } }`],
  ['sites', `${address} ${clients} ${projects}`],
  ['sites', `${address} ... @defer { primaryProject { id stage } }`],
  ['conversationContext', `${conversation} sites { address site { ${address} ${projects} } }`],
  ['conversationContext', `${conversation} ... @defer { sites { address site { city ${clients} } } }`],
  ['conversationContexts', `${conversation} sites { address site { id city } }`],
  ['_entities', `... on Site { ${address} ${clients} } ... on ConversationContext { ${conversation} }`],
  [
    '_entities',
    `... on Site { ${address} ... @defer { ${projects} } } ... on ConversationContext { id subject }`,
  ],
];

export function anyOperation(): Operation {
  const [field, selection] = oneOf(operations);
  const { type, of } = roots[field];
  const isList = type.startsWith('[');
  const ids = isList ? [oneOf(of), oneOf(of)] : [oneOf(of)];
  const argument = field === '_entities' ? 'representations' : isList ? 'ids' : 'id';
  return {
    query: `query ($of: ${type}) { found: ${field}(${argument}: $of) { ${selection} } }`,
    variables: { of: field === '_entities' ? ids.map(representationOf) : isList ? ids : (ids[0] ?? '') },
    isIncremental: selection.includes('@defer'),
    ids,
  };
}

function representationOf(id: string) {
  return { __typename: id.startsWith('SITE-') ? 'Site' : 'ConversationContext', id };
}
