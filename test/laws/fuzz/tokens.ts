import fc from 'fast-check';
import { isObjectType } from 'graphql';
import { subgraphContract as contract } from '../../support/contract.ts';

const uuid = '5f0c2a9e-3b1d-4c5a-9e7f-00000000ab0';

/** Values that are no ids, or hardly. */
export const oddIds: unknown[] = [
  ...['', 'SITE-', 'site-1', 'HOUSE-1', '__proto__', 'constructor', 'SITE-__proto__', 'SITE-%00'],
  ...['SITE-..', 'SITE-.', 'SITE-/../x', 'SITE-a/%2e%2e/b', 'SITE-\\..\\', 'SITE-%2F..%2F..%2Fhealth'],
  ...['SITE-?include=clients', 'SITE-#', 'SITE-;a', 'SITE-@host', 'SITE-:', 'SITE- ', "SITE-'", 'SITE-"'],
  ...['SITE-\r\nx: y', 'SITE-\0', 'SITE-\x7f', 'SITE-\x85', 'SITE-\u2028', 'SITE-\u202e', 'SITE-\ufeff'],
  ...['SITE-\ud800', 'SITE-\udfff x', 'SITE-💥', 'SITE-東京', 'SITE-e\u0301', 'SITE-%', 'SITE-%zz'],
  ...[`SITE-${'x'.repeat(195)}`, `SITE-${'x'.repeat(196)}`, `SITE-${'💥'.repeat(98)}`, 'x'.repeat(5000)],
  ...[`${uuid}1\n`, `{${uuid}1}`, `${uuid}1/../../health`, '00000000-0000-0000-0000-000000000000'],
  ...[7, -0, 1e21, 1.5, true, null, [], {}, ['SITE-1'], [['SITE-1']], { id: 'SITE-1' }],
];

const goodIds = [
  ...['SITE-1', 'SITE-2', 'SITE-8 north wing', 'SITE-9/annex', 'SITE-403', 'SITE-404', 'SITE-429'],
  ...[`${uuid}1`, `${uuid}3`.toUpperCase(), `${uuid}9`],
];

/** Ids of every kind, legal or not, and other values. */
export const ids: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...goodIds) },
  { weight: 4, arbitrary: fc.constantFrom(...oddIds) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => `SITE-${text}`) },
  { weight: 1, arbitrary: fc.uuid() },
);

/** JSON values of unexpected types. */
export const oddities: fc.Arbitrary<unknown> = fc.oneof(
  ids,
  fc.array(ids, { maxLength: 60, size: 'max' }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom<unknown>(0, -1, 2 ** 31, 2 ** 53, 1e308, 'true', '1', false, [null], 'NaN', ''),
  fc.integer({ min: 1, max: 400 }).map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))),
  fc.constant(JSON.parse('{"__proto__":{"id":"SITE-1"},"constructor":{"prototype":1},"toString":null}')),
);

const types = Object.values(contract.getTypeMap());
const fieldNames = types.filter(isObjectType).flatMap((type) => Object.keys(type.getFields()));
export const names = [...new Set([...fieldNames, ...types.map(({ name }) => name)])];

export const strings = fc.oneof(
  ids.map((id) => JSON.stringify(id)),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.string({ unit: 'grapheme' }).map((text) => `"""${text}"""`),
  fc.nat(40_000).map((length) => `"${'x'.repeat(length)}"`),
  fc.constantFrom('"', '"""', '"\\', '"\\u{110000}"', '"\\ud800"', '"\\u{}"', '"""\\"""', '"\n"', '"\ud800"'),
);

export const directives = fc.constantFrom(
  '@defer',
  '@defer(if: false)',
  '@defer(if: $flag0)',
  '@defer(label: "a")',
  '@defer(if: true, label: $x)',
  '@stream',
  '@stream(initialCount: -1)',
  '@stream(initialCount: 1, label: "s")',
  '@skip(if: true)',
  '@skip',
  '@skip(if: [true])',
  '@include(if: false)',
  '@__proto__',
);

const words = fc.constantFrom(
  ...'{}()[]:!=|&$@,*?#\n\ufeff\u2028\0\u00a0é_-',
  ...['...', '{{{', '}}}', 'query', 'mutation', 'subscription', 'fragment', 'on', 'extend', 'schema', 'type'],
  ...['$flag0', '$flag0: Boolean!', '$x: ID! = "SITE-1"', '$x: [ID!]!', '(id: $x)', '(ids: [])'],
  ...['...Site0', '...Query0', '... on Site', '... on Query {', '... on __Type { name }', '... @defer {'],
  ...[
    'query Q {',
    'schema {',
    'a:',
    'id: city',
    'x: site(id: "SITE-1") { id }',
    '# a comment\n',
    'x'.repeat(300),
  ],
  ...['0', '-0', '00', '1e999', '1e', '.5', '0x1', '2147483648', `1${'0'.repeat(40)}.${'1'.repeat(400)}`],
  ...['null', 'true', '{a: 1}', '[[[["SITE-1"]]]]', 'INACTIVE', '(first: 1, last: 1)', 'type X { a: Int }'],
  '__schema { types { name } }',
  'fragment Site0 on Site { id ...Site0 }',
);

/** Tokens of a selection, in any place. */
export const selections = [
  '__typename',
  'id: city',
  'clients { id }',
  '...Site0',
  '... @defer { clients { name } }',
  '... on Site { projects { name } }',
  'sites { site { id } }',
  'site(id: "SITE-1") { id }',
  'sites(ids: ["SITE-1", "SITE-2"]) { id }',
  'health { status }',
  's1: clients @stream(initialCount: 1) { name }',
  's2: sites @stream(initialCount: 1) { address }',
  'messages(first: -1) { text }',
  'site(id: "SITE-404") { id }',
  '__schema { types { name } }',
];

export const tokens = fc.oneof(
  { weight: 4, arbitrary: words },
  { weight: 3, arbitrary: fc.constantFrom(...names) },
  { weight: 2, arbitrary: directives },
  { weight: 2, arbitrary: strings },
);

/** A share of a length: where in a text something happens, whatever the text. */
export const places: fc.Arbitrary<number> = fc.nat(999).map((share) => share / 1000);

export function placeIn(length: number, share: number): number {
  return Math.floor(share * (length + 1));
}
