import {
  healthDocument,
  conversations as plainConversations,
  sites as plainSites,
} from '../../support/documents.ts';
import { bareSite } from '../../support/upstream.ts';

/** Literals of JSON strings. */
const stringLiterals = [
  ...['""', '" "', '"a\\"b"', '"\\\\"', '"\\\\\\""', '"/"', '"\\/"', '"</script>"', '"\'"', '"`$`"'],
  ...['"\\b\\f\\n\\r\\t"', '"\\u0000"', '"\\u0001\\u001f"', '"\\u007f\\u0080\\u009f"', '"\\u2028\\u2029"'],
  ...['"\\ud800"', '"\\udfff"', '"a\\ud83d"', '"\\ude00b"', '"\\udc00\\ud800"', '"😀"', '"\\ud83d\\ude00"'],
  ...['"\ufeff"', '"\ufffe\uffff"', '"e\u0301"', '"東京"', '"\u202eabc"', '"__proto__"', '"constructor"'],
  `"${'x'.repeat(100_000)}"`,
  `"${'\\"'.repeat(40_000)}"`,
  `"${'é'.repeat(30_000)}"`,
  `"${'\\ud800'.repeat(500)}"`,
  // Writers of JSON treat short strings otherwise than long ones; these are at the borders that are known.
  ...[31, 32, 40, 41, 42, 43, 255, 256, 4999, 5000, 5001].flatMap((length) => [
    `"${'s'.repeat(length)}"`,
    `"${'s'.repeat(length - 1)}\\""`,
    `"${'s'.repeat(length - 1)}\\ud900"`,
    `"\\n${'s'.repeat(length - 1)}"`,
  ]),
];

/** Literals of JSON numbers. */
const numberLiterals = [
  ...['0', '-0', '-0.0', '1', '-1', '1.5', '0.1', '0.30000000000000004', '1e21', '1E5', '1e-7', '1e-6'],
  ...['-1.5e-10', '123456789012345678901234567890', '9007199254740993', '-9007199254740991', '1e308'],
  ...['5e-324', '1e999', '-1e999', '100000000000000000000', '999999999999999999999', '4294967296'],
  ...['2147483648', '1.7976931348623157e308', '100.0'],
];

/** Texts where a date is to stand; half of them are none. */
const dateTexts = [
  ...['2026-03-02', '2026-02-30', '2026-3-2', '0001-01-01', '9999-12-31', '0000-00-00', ' 2026-03-02', ''],
  ...['2026-03-02T14:05:00Z', '2026-03-02T14:05:00.123456789Z', '2026-03-02t14:05:00z'],
  ...['2026-03-02 14:05:00Z', '2026-03-02T14:05:00', '2026-03-02T25:00:00Z', '2026-03-02T14:05:00+05:30'],
  ...['2026-03-02T23:59:60Z', 'soon'],
  ...['1772460300000', '20260302', '2026-W10', '+002026-03-02', 'May 5', '2026-03-02T14:05Z', '\ud800'],
];

/** What `Health.body` may be: any JSON at all, passed on. */
export const healthBodies: Record<string, string> = {
  empty: '',
  nothing: 'null',
  text: '"up \\u2028 \\ud800 \\"quoted\\""',
  big: '123456789012345678901234567890',
  list: '[null,1,[],{},[[["x"]]],-0,1e400]',
  numbered: '{"b":1,"10":2,"2":3,"a":4,"-1":5,"01":6}',
  proto: '{"__proto__":{"a":1},"constructor":2,"toString":3,"toJSON":4,"hasOwnProperty":null,"then":5}',
  twice: '{"a":1,"a":2,"":0}',
  deep: `${'['.repeat(90)}${']'.repeat(90)}`,
  deeper: `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`,
  long: JSON.stringify(Array.from({ length: 3000 }, (_, n) => ({ n, text: `"${n}"\n` }))),
  broken: '{"a":',
  typed: '{"latency":1,"date":"2026-03-02T00:00:00Z","bytes":{"type":"Buffer","data":[1,2]}}',
};

/**
 * The texts of the REST API's documents. All that `test/support/documents.ts` has is here, and much that nobody
 * wants.
 */
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
