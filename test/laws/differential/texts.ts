/** Values that a writer of JSON may get wrong, as they stand in the JSON of the upstream. */

/** Literals of JSON strings. */
export const stringLiterals = [
  ...['""', '" "', '"a\\"b"', '"\\\\"', '"\\\\\\""', '"/"', '"\\/"', '"</script>"', '"\'"', '"`$`"'],
  ...['"\\b\\f\\n\\r\\t"', '"\\u0000"', '"\\u0001\\u001f"', '"\\u007f\\u0080\\u009f"', '"\\u2028\\u2029"'],
  ...['"\\ud800"', '"\\udfff"', '"a\\ud83d"', '"\\ude00b"', '"\\udc00\\ud800"', '"😀"', '"\\ud83d\\ude00"'],
  ...['"\ufeff"', '"\ufffe\uffff"', '"e\u0301"', '"東京"', '"\u202eabc"', '"__proto__"', '"constructor"'],
  ...[
    '"null"',
    '"[object Object]"',
    '"undefined"',
    '"{\\"a\\":1}"',
    '"\u00a0"',
    '"x\u0000y"'.replace('\u0000', '\\u0000'),
  ],
  ...[
    `"${'x'.repeat(100_000)}"`,
    `"${'\\"'.repeat(40_000)}"`,
    `"${'é'.repeat(30_000)}"`,
    `"${'\\ud800'.repeat(500)}"`,
  ],
  // Writers of JSON treat short strings otherwise than long ones; these are at the borders that are known.
  ...[31, 32, 40, 41, 42, 43, 255, 256, 4999, 5000, 5001].flatMap((length) => [
    `"${'s'.repeat(length)}"`,
    `"${'s'.repeat(length - 1)}\\""`,
    `"${'s'.repeat(length - 1)}\\ud900"`,
    `"\\n${'s'.repeat(length - 1)}"`,
  ]),
];

/** Literals of JSON numbers. */
export const numberLiterals = [
  ...[
    '0',
    '-0',
    '-0.0',
    '1',
    '-1',
    '1.5',
    '0.1',
    '0.30000000000000004',
    '1e21',
    '1E5',
    '1e-7',
    '1e-6',
    '-1.5e-10',
  ],
  ...[
    '123456789012345678901234567890',
    '9007199254740993',
    '-9007199254740991',
    '1e308',
    '5e-324',
    '1e999',
    '-1e999',
  ],
  ...[
    '100000000000000000000',
    '999999999999999999999',
    '4294967296',
    '2147483648',
    '1.7976931348623157e308',
    '100.0',
  ],
];

/** Texts where a date is to stand; half of them are none. */
export const dateTexts = [
  ...['2026-03-02', '2026-02-30', '2026-3-2', '0001-01-01', '9999-12-31', '0000-00-00', ' 2026-03-02', ''],
  ...[
    '2026-03-02T14:05:00Z',
    '2026-03-02T14:05:00.123456789Z',
    '2026-03-02t14:05:00z',
    '2026-03-02 14:05:00Z',
  ],
  ...[
    '2026-03-02T14:05:00',
    '2026-03-02T25:00:00Z',
    '2026-03-02T14:05:00+05:30',
    '2026-03-02T23:59:60Z',
    'soon',
  ],
  ...['1772460300000', '20260302', '2026-W10', '+002026-03-02', 'May 5', '2026-03-02T14:05Z', '\ud800'],
];

/** What `Health.body` may be: any JSON at all, passed on. */
export const healthBodies: Record<string, string> = {
  empty: '',
  nothing: 'null',
  text: '"up \\u2028 \\ud800 \\"quoted\\""',
  number: '-0',
  big: '123456789012345678901234567890',
  yes: 'true',
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
