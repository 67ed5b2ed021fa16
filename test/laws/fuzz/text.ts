import fc from 'fast-check';

/** The key of a case: nine of its characters identify it in any text, and a URL contains it only encoded. */
export const keys: fc.Arbitrary<string> = fc.noBias(
  fc.noShrink(
    fc
      .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'), {
        minLength: 24,
        maxLength: 24,
        size: 'max',
      })
      .map((characters) => `${characters.slice(0, 8).join('')}+/${characters.slice(8).join('')}%=`),
  ),
);

const uuid = '5f0c2a9e-3b1d-4c5a-9e7f-00000000ab0';

/** Ids of every kind, legal or not, and other values. */
export const ids: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'SITE-1',
      'SITE-2',
      'SITE-8 north wing',
      'SITE-9/annex',
      'SITE-403',
      'SITE-404',
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom(`${uuid}1`, `${uuid}2`, `${uuid}3`.toUpperCase(), `${uuid}9`) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...['', 'SITE', 'SITE-', 'site-1', 'HOUSE-1', '__proto__', 'constructor', 'SITE-__proto__', 'SITE-429'],
      ...[
        'SITE-..',
        'SITE-.',
        'SITE-/..',
        'SITE-/../x',
        'SITE-a/%2e%2e/b',
        'SITE-\\..\\',
        'SITE-%2F..%2F..%2Fhealth',
      ],
      ...[
        'SITE-?include=clients',
        'SITE-#',
        'SITE-;a',
        'SITE-@host',
        'SITE-:',
        'SITE- ',
        "SITE-'",
        'SITE-"',
        'SITE-%',
      ],
      ...[
        'SITE-\n',
        'SITE-\r\nx: y',
        'SITE-\0',
        'SITE-\x7f',
        'SITE-\x85',
        'SITE-\u2028',
        'SITE-\u202e',
        'SITE-\ufeff',
      ],
      ...[
        'SITE-\ud800',
        'SITE-\udfff x',
        'SITE-💥',
        'SITE-東京',
        'SITE-e\u0301',
        'SITE-%00',
        'SITE-%',
        'SITE-%zz',
      ],
      ...[`SITE-${'x'.repeat(195)}`, `SITE-${'x'.repeat(196)}`, `SITE-${'💥'.repeat(98)}`, 'x'.repeat(5000)],
      ...[`${uuid}1\n`, `{${uuid}1}`, `${uuid}1/../../health`, '00000000-0000-0000-0000-000000000000'],
      ...[7, -0, 1e21, 1.5, true, null, [], {}, ['SITE-1'], [['SITE-1']], { id: 'SITE-1' }],
    ),
  },
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

/** Mostly those with data. */
export const accepts: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ...[
        'application/json',
        'application/graphql-response+json',
        'multipart/mixed',
        'text/event-stream',
        '*/*',
      ],
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        'multipart/mixed; deferSpec=20220824, application/json',
        'text/event-stream;q=0.1, */*;q=0',
        'text/html',
      ],
      ...[
        'application/json;q=0',
        'APPLICATION/JSON',
        'text/*',
        '',
        ',',
        ';',
        'a',
        'multipart/mixed;boundary="-"',
        'q=1',
      ],
    ),
  },
);

/** A share of a length: where in a text something happens, whatever the text. */
export const places: fc.Arbitrary<number> = fc.nat(999).map((share) => share / 1000);

export function placeIn(length: number, share: number): number {
  return Math.floor(share * (length + 1));
}
