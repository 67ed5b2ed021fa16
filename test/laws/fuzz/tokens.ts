import fc from 'fast-check';
import { isObjectType } from 'graphql';
import { contract } from '../../support/contract.ts';
import { ids } from './text.ts';

const types = Object.values(contract.getTypeMap());
const fieldNames = types.filter(isObjectType).flatMap((type) => Object.keys(type.getFields()));
export const names = [...new Set([...fieldNames, ...types.map(({ name }) => name)])];

export const strings = fc.oneof(
  ids.map((id) => JSON.stringify(id)),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.string({ unit: 'grapheme' }).map((text) => `"""${text}"""`),
  fc.nat(40_000).map((length) => `"${'x'.repeat(length)}"`),
  fc.constantFrom(
    '"',
    '""',
    '"""',
    '""""""',
    '"\\',
    '"\\u{110000}"',
    '"\\ud800"',
    '"\\u{}"',
    '"""\\"""',
    '"\n"',
    '"\ud800"',
  ),
);

export const directives = fc.constantFrom(
  ...[
    '@defer',
    '@defer(if: false)',
    '@defer(if: null)',
    '@defer(if: $flag0)',
    '@defer(label: "a")',
    '@defer(label: 1)',
  ],
  ...[
    '@defer(if: true, label: $x)',
    '@defer @defer',
    '@stream',
    '@stream(initialCount: -1)',
    '@stream(if: $flag1)',
  ],
  ...[
    '@stream(initialCount: 2147483648)',
    '@stream(initialCount: "1")',
    '@stream(initialCount: 1, label: "s")',
  ],
  ...[
    '@skip(if: true)',
    '@skip(if: null)',
    '@skip',
    '@skip(if: $nothing)',
    '@skip(if: [true])',
    '@include(if: false)',
  ],
  ...[
    '@include(if: {})',
    '@include(unless: 1)',
    '@deprecated',
    '@specifiedBy(url: "")',
    '@oneOf',
    '@__proto__',
    '@',
  ],
);

const words = fc.constantFrom(
  ...[
    '{',
    '}',
    '(',
    ')',
    '[',
    ']',
    ':',
    '!',
    '=',
    '|',
    '&',
    '$',
    '...',
    ',',
    '@',
    '{}',
    '()',
    '[]',
    '}}}',
    '{{{',
    '*',
    '?',
  ],
  ...[
    'query',
    'mutation',
    'subscription',
    'fragment',
    'on',
    'extend',
    'schema',
    'type',
    'input',
    'null',
    'true',
    'false',
  ],
  ...[
    '$flag0',
    '$flag0: Boolean!',
    '$x: ID! = "SITE-1"',
    '$x: [ID!]!',
    '(id: $x)',
    '(ids: [])',
    '(first: 1, last: 1)',
  ],
  ...[
    '__typename',
    '__schema { types { name } }',
    '__type(name: "Site") { fields { name } }',
    '__proto__',
    'constructor',
  ],
  ...[
    '...Site0',
    '...Site1',
    '...Query0',
    '... on Site',
    '... on Query {',
    '... on __Type { name }',
    '...on',
    '... @defer {',
  ],
  ...[
    'fragment Site0 on Site { id ...Site0 }',
    'fragment Site1 on Site { ...Site0 }',
    'type X { a: Int }',
    'query Q {',
  ],
  ...[
    'a:',
    'a: b:',
    'id: city',
    'x: site(id: "SITE-1") { id }',
    '#',
    '# a comment\n',
    '\n',
    '\ufeff',
    '\u2028',
    '\0',
    '\u00a0',
    'é',
  ],
  ...[
    '0',
    '-0',
    '00',
    '1e999',
    '1e',
    '.5',
    '-',
    '0x1',
    '2147483648',
    '9'.repeat(400),
    `1${'0'.repeat(40)}.${'1'.repeat(400)}`,
  ],
  ...[
    '{a: 1}',
    '[[[["SITE-1"]]]]',
    'INACTIVE',
    'ENUM_OF_NOTHING',
    'x'.repeat(300),
    '_',
    '__',
    'schema {',
    'repeatable',
  ],
);

/** Tokens of a selection, in any place. */
export const selections = [
  ...[
    '__typename',
    'a: __typename',
    'id',
    'id: city',
    'clients { id }',
    '...Site0',
    '... { __typename }',
    'x: id',
  ],
  ...[
    '... @defer { __typename }',
    '... @defer { clients { name } }',
    '... on Site { projects { name } }',
    'sites { site { id } }',
  ],
  ...[
    'site(id: "SITE-1") { id }',
    'sites(ids: ["SITE-1", "SITE-2"]) { id }',
    'health { status }',
    'sites @stream { address }',
  ],
  ...[
    's1: clients @stream(initialCount: 1) { name }',
    's2: sites @stream(initialCount: 1) { address }',
    'messages(first: -1) { text }',
    'messages(first: 1, last: 1) { text }',
  ],
  ...[
    'site(id: "SITE-404") { id }',
    'site(id: "SITE-403") { id }',
    'site(id: "SITE-429") { id }',
    '__schema { types { name } }',
  ],
];

export const tokens = fc.oneof(
  { weight: 4, arbitrary: words },
  { weight: 3, arbitrary: fc.constantFrom(...names) },
  { weight: 2, arbitrary: directives },
  { weight: 2, arbitrary: strings },
);
