import {
  healthDocument,
  conversations as plainConversations,
  sites as plainSites,
} from '../../support/documents.ts';
import { bareSite } from '../../support/upstream.ts';
import { dateTexts, healthBodies, numberLiterals, stringLiterals } from './texts.ts';

/** The texts of the REST API's documents. All that `property/documents.ts` has is here, and much that nobody wants. */
type Json = Record<string, unknown>;

const person = (id: string, more: Json = {}): Json => ({
  id,
  name: `Name ${id}`,
  firstName: 'Ida',
  isPrimary: true,
  ...more,
});
const full = (id: string, more: Json = {}): Json => ({ ...plainSites.get('SITE-1'), id, ...more });

/** A value of JSON that `JSON.stringify` cannot write: it stands in the text as it is. */
interface Literal {
  literal: string;
}

/** Marks where a literal goes; nothing else in these documents has the two characters. */
const mark = (literal: string): Literal => ({ literal });

function textOf(json: unknown): string {
  const literals: string[] = [];
  const text = JSON.stringify(json, (_, value) =>
    typeof value === 'object' && value !== null && 'literal' in value
      ? `§${literals.push(value.literal) - 1}§`
      : value,
  );
  return text.replace(/"§(\d+)§"/g, (_, n) => literals[Number(n)] ?? '');
}

const wrong = [7, true, 'text', [], {}, null, ['x'], { id: 1 }];
const wrongly = (names: readonly string[], from: number): Json =>
  Object.fromEntries(names.map((name, n) => [name, wrong[(n + from) % wrong.length]]));

function fours(literals: readonly string[]): Literal[][] {
  const groups = Math.ceil(literals.length / 4);
  return Array.from({ length: groups }, (_, n) => literals.slice(4 * n, 4 * n + 4).map(mark));
}

const oddSites: Json[] = [
  ...fours(stringLiterals).map(([one, two = one, three = one, four = one], n) =>
    full(`SITE-t${n}`, { address1: one, city: two, state: three, clients: [person('c', { name: four })] }),
  ),
  ...fours(numberLiterals).map((literals, n) =>
    full(`SITE-n${n}`, {
      sla: literals[0],
      clients: [person('c', { phoneNumbers: literals.map((ext) => ({ id: 'n', ext })) })],
    }),
  ),
  ...dateTexts.map((text, n) =>
    full(`SITE-d${n}`, {
      createdAt: text,
      cppExpDate: text,
      projects: [{ id: 'p', signingDate: text, isPrimary: true }],
    }),
  ),
  // Each field meets each of the wrong kinds in one of these.
  ...wrong.map((_, n) => ({ ...full(`SITE-w${n}`), ...wrongly(Object.keys(full('')).slice(1), n) })),
  ...wrong.map((_, n) =>
    full(`SITE-v${n}`, {
      clients: [wrongly(Object.keys(person('')), n), ...wrong],
      projects: [wrongly(['id', 'name', 'stage', 'signingDate'], n)],
    }),
  ),
  full('SITE-many', {
    clients: Array.from({ length: 300 }, (_, n) => person(`c${n}`, { emails: [{ id: `e${n}` }, null, 5] })),
    projects: Array.from({ length: 300 }, (_, n) => ({ id: `p${n}`, name: `"${n}"` })),
  }),
  full('SITE-proto', { ['__proto__']: { city: 'x' }, constructor: 1, clients: { length: 1 }, toString: 'x' }),
];

const siteTexts = new Map(
  [...plainSites.values(), ...oddSites].map((site) => [String(site.id), textOf(site)]),
);

export const oddIds = (letter: string): string[] =>
  [...siteTexts.keys()].filter((id) => new RegExp(`^SITE-${letter}\\d+$`).test(id));

/** The text of a site; ids of the form `SITE-m…` are all there. */
export function siteText(id: string): string | undefined {
  return (
    siteTexts.get(id) ??
    (/^SITE-m\d+$/.test(id) ? textOf({ ...bareSite(id), clients: [], projects: null }) : undefined)
  );
}

export const conversationId = (end: string): string => `5f0c2a9e-3b1d-4c5a-9e7f-00000000${end}`;

const mention = (id: unknown): Json => ({
  id,
  address: `at ${id}`,
  associatedConversations: [{ friendlyId: 'C' }],
});
const says = (text: unknown, more: Json = {}): Json => ({
  text,
  author: 'Ida',
  isInternal: false,
  attachments: null,
  ...more,
});

const oddConversations: Record<string, Json> = {
  // As many sites as cost more than an operation may.
  a001: { subject: 'many', sites: Array.from({ length: 60 }, (_, n) => mention(`SITE-m${n}`)) },
  a002: {
    subject: 'few',
    sites: ['SITE-s500', null, 'SITE-m1', 7, '', 'HOUSE-1', 'SITE-..', 'SITE-m1', 'SITE-s404'].map(mention),
  },
  a003: {
    subject: mark('"\\ud800"'),
    labels: stringLiterals.map(mark),
    messages: stringLiterals.map((literal) => says(mark(literal))),
  },
  a004: wrongly(['subject', 'messages', 'status', 'labels', 'requester', 'participants', 'sites'], 2),
  a005: wrongly(['subject', 'messages', 'status', 'labels', 'requester', 'participants', 'sites'], 5),
  a006: {
    labels: [null, 'a', 7, ['b'], ''],
    messages: [null, says('a'), 7],
    participants: { agents: [null, 'Mo'], clients: [null, { name: 'x' }] },
  },
  a007: {
    messages: Array.from({ length: 12 }, (_, n) =>
      says(`no. ${n}`, { isInternal: n % 3 === 0 ? true : n % 3 === 1 ? false : null }),
    ),
  },
  a008: { subject: 'forbidden', sites: ['SITE-s403', 'SITE-s403b'].map(mention) },
  a010: { subject: 'slow', sites: ['SITE-1', 'SITE-never'].map(mention) },
  a009: { subject: 'same', sites: ['SITE-1', 'SITE-1', 'SITE-2', 'SITE-1'].map(mention) },
};

const conversationTexts = new Map([
  ...[...plainConversations].map(([id, json]) => [id, textOf(json)] as const),
  ...Object.entries(oddConversations).map(([end, json]) => [conversationId(end), textOf(json)] as const),
]);

export const conversationText = (id: string): string | undefined => conversationTexts.get(id);

/** By the caller's key: `mood-big-…` gets what `healthBodies` has for `big`. */
export const healthText = (mood: string | undefined): string =>
  healthBodies[mood ?? ''] ?? JSON.stringify(healthDocument);
