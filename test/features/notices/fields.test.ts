import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fieldsFrom, noticeFields } from '../../../src/features/notices/fields.ts';
import { combined, type Notices } from '../../../src/upstream/notices.ts';
import { headersOf } from '../../support/response.ts';

/** The notices of a response with these header fields, and the fields that are malformed. */
function read(
  fields: Record<string, string | undefined>,
  status = 200,
  retryAfter?: number,
  apiKey = 'a-key',
) {
  const malformed: string[] = [];
  const response = { status, headers: headersOf(fields), retryAfter };
  const notices = noticeFields.read(response, (field) => malformed.push(field), apiKey);
  return { notices, fields: written(notices), malformed };
}

function written(notices: Notices | null): Record<string, string> {
  return Object.fromEntries(notices ? fieldsFrom(notices) : []);
}

const quota = { remaining: 97, limit: 100, windowSeconds: 60, resetSeconds: 41 };
const standard = { ratelimit: '"default";r=97;t=41', 'ratelimit-policy': '"default";q=100;w=60' };

it.each([
  ['both fields', '"key";r=97;t=41', '"key";q=100;w=60', quota, standard],
  [
    'tokens, other parameters and spaces',
    'key; t=41; r=97;pk=:AQ==:',
    'other;q=1 , key;w=60;q=100;qu="a;q=1"',
    quota,
    standard,
  ],
  [
    'the limit with the least remaining, and its own policy',
    '"day";r=9000;t=4000, "minute";r=97;t=41',
    '"day";q=10000;w=86400, "minute";q=100;w=60',
    quota,
    standard,
  ],
  [
    'no policy, and no time',
    '"key";r=97',
    undefined,
    { remaining: 97, limit: null, windowSeconds: null, resetSeconds: null },
    { ratelimit: '"default";r=97' },
  ],
])('reads a quota from %s, and writes it in standard form', (_, limit, policy, expected, fields) => {
  const { notices, ...rest } = read({ ratelimit: limit, 'ratelimit-policy': policy });
  expect(notices?.quota).toEqual(expected);
  expect(rest).toEqual({ fields, malformed: [] });
});

it('reads a field of the usual form as one with a parameter that is ignored', () => {
  const number = fc.oneof(fc.nat(), fc.constantFrom('', '007', '-1', '1.5', '9'.repeat(15), '9'.repeat(16)));
  const name = fc.constantFrom('"key"', '"other"', 'key', '"a b"', '""');
  fc.assert(
    fc.property(name, number, number, (n, r, t) => {
      const [usual, other] = ['', ';x'].map((end) =>
        read({ ratelimit: `${n};r=${r};t=${t}${end}`, 'ratelimit-policy': '"key";q=100;w=60' }),
      );
      expect(usual).toEqual(other);
    }),
  );
});

it('reads the policy of each response, whatever the one before had', () => {
  const limits = ['"key";q=100;w=60', '"key";q=10', 'key', '"key";q=10', undefined, '"key";q=100;w=60'].map(
    (policy) => read({ ratelimit: '"key";r=97', 'ratelimit-policy': policy }),
  );
  expect(limits.map(({ notices }) => notices?.quota?.limit)).toEqual([100, 10, null, 10, null, 100]);
  expect(limits.flatMap(({ malformed }) => malformed)).toEqual(['RateLimit-Policy']);
});

it.each([
  'limit=100, remaining=97, reset=41',
  '97',
  '"key"',
  '"key";t=41',
  '"key";r=-1',
  '"key";r=1.5',
  '"key";r="97"',
  '"key";r=9999999999999999',
  '"key";r=97;t',
  '"key";r=97,',
  '"key";r=97 "other";r=3',
  '"ke\u00e9";r=97',
  '"key";r=97\r\nx-other: 1',
  `"${'k'.repeat(1000)}";r=97`,
  Array.from({ length: 11 }, () => '"key";r=97').join(),
  '',
])('drops and reports a RateLimit field that is malformed: %j', (ratelimit) => {
  expect(read({ ratelimit })).toEqual({ notices: null, fields: {}, malformed: ['RateLimit'] });
});

it('reads the limit without a policy that is malformed', () => {
  const { fields, malformed } = read({ ratelimit: '"key";r=97;t=41', 'ratelimit-policy': '"key";w=60' });
  expect({ fields, malformed }).toEqual({
    fields: { ratelimit: '"default";r=97;t=41' },
    malformed: ['RateLimit-Policy'],
  });
});

it('takes a 429 for an exhausted quota, whatever its fields say', () => {
  expect(read({}, 429, 7).fields).toEqual({ ratelimit: '"default";r=0;t=7' });
  expect(
    read({ ratelimit: '"key";r=2;t=41', 'ratelimit-policy': '"key";q=100;w=60' }, 429, 7).fields,
  ).toEqual({
    ratelimit: '"default";r=0;t=41',
    'ratelimit-policy': '"default";q=100;w=60',
  });
});

it('keeps of several responses the least remaining, and the deprecation that ends first', () => {
  const all = [
    { ratelimit: '"key";r=5', deprecation: '@1767225600' },
    { ratelimit: '"key";r=3', sunset: 'Thu, 31 Dec 2026 23:59:59 GMT' },
    { ratelimit: '"key";r=4', sunset: 'Sun, 31 Jan 2027 00:00:00 GMT' },
  ];
  const notices = all.flatMap((fields) => read(fields).notices ?? []);
  expect(notices).toHaveLength(3);
  expect(written(notices.reduce<Notices | null>(combined, null))).toEqual({
    ratelimit: '"default";r=3',
    sunset: 'Thu, 31 Dec 2026 23:59:59 GMT',
  });
});

it('reads when the REST API is deprecated and ends, with the links about it', () => {
  const link =
    '<https://api.example/next>; rel=successor-version, <https://docs.example/end>; title="a, b"; rel="sunset deprecation"';
  const { notices, fields, malformed } = read({
    deprecation: '@1767225600',
    sunset: 'Thu, 31 Dec 2026 23:59:59 GMT',
    link,
  });
  expect(notices?.deprecation).toEqual({
    since: '2026-01-01T00:00:00.000Z',
    sunset: '2026-12-31T23:59:59.000Z',
    links: [
      { rel: 'deprecation', href: 'https://docs.example/end' },
      { rel: 'sunset', href: 'https://docs.example/end' },
    ],
  });
  expect(malformed).toEqual([]);
  expect(fields).toEqual({
    deprecation: '@1767225600',
    sunset: 'Thu, 31 Dec 2026 23:59:59 GMT',
    link: '<https://docs.example/end>; rel="deprecation", <https://docs.example/end>; rel="sunset"',
  });
});

it.each<[string, string[], string[], object]>([
  [
    'each date in GMT',
    ['Sunday, 31-Jan-27 00:00:00 GMT'],
    ['Thursday, 31-Dec-26 23:59:59 GMT'],
    { since: '2027-01-31T00:00:00.000Z', sunset: '2026-12-31T23:59:59.000Z' },
  ],
  [
    'the earliest of repeated fields',
    ['@1767225600', '@1767225599'],
    ['Sun, 31 Jan 2027 00:00:00 GMT', 'Thursday, 31-Dec-26 23:59:59 GMT'],
    { since: '2025-12-31T23:59:59.000Z', sunset: '2026-12-31T23:59:59.000Z' },
  ],
  [
    'the dates of fields that have other values too',
    ['true', 'Fri, 01 Jan 2027 00:00:00 GMT'],
    ['soon', 'Fri, 01 Jan 2027 00:00:00 GMT'],
    { since: '2027-01-01T00:00:00.000Z', sunset: '2027-01-01T00:00:00.000Z' },
  ],
])('reads of Deprecation and Sunset %s', (_, deprecation, sunset, expected) => {
  const { notices, malformed } = read({ deprecation: deprecation.join(', '), sunset: sunset.join(', ') });
  expect(notices?.deprecation).toMatchObject(expected);
  expect(malformed).toEqual([]);
});

it.each([
  [{ deprecation: 'true' }, ['Deprecation']],
  [{ deprecation: '@999999999999' }, ['Deprecation']],
  [{ sunset: '2026-12-31' }, ['Sunset']],
  [{ sunset: 'Thu, 31 Dec 2026 25:00:00 GMT', deprecation: '@1' }, ['Sunset']],
  [{ sunset: 'Thu, 31 Dec 2026 23:60:00 GMT', deprecation: '@1' }, ['Sunset']],
  [{ sunset: 'Thu, 99 Dec 2026 23:59:59 GMT', deprecation: '@1' }, ['Sunset']],
  [{ deprecation: '@1', link: 'https://docs.example/end; rel=sunset' }, ['Link']],
  [{ deprecation: '@1', link: `<https://docs.example/${'a'.repeat(1000)}>; rel=sunset` }, ['Link']],
  [{ deprecation: '@1', link: '</end>; rel=sunset, <javascript:alert(1)>; rel=deprecation' }, []],
  [{ deprecation: '@1', link: '<https://user:password@docs.example/>; rel=sunset' }, []],
  [{ link: '<https://docs.example/end>; rel=sunset' }, []],
  [{ deprecation: '@1', link: '<https://docs.example/end?key=a-key>; rel=sunset' }, []],
])('drops what is malformed of %j', (sent, malformed) => {
  const expected = 'deprecation' in sent && sent.deprecation === '@1' ? { deprecation: '@1' } : {};
  expect(read(sent)).toMatchObject({ fields: expected, malformed });
});

const partner = 'k3y-partner-7f9a01';
const encoded = (text: string) => text.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);

it.each<[string, string, string?]>([
  ['as it is', `https://docs.example/${partner}`],
  ['with a tab inside', `https://docs.example/?key=${partner.slice(0, 5)}\t${partner.slice(5)}`],
  ['in capitals as a host', `HTTPS://${partner.toUpperCase()}/`],
  ['percent-encoded', `https://docs.example/${encoded(partner)}`],
  ['percent-encoded in part, in the host', `https://%6b3y-${partner.slice(4)}.docs.example/`],
  ['percent-encoded twice', `https://docs.example/#${encoded(encoded(partner))}`],
  ['whose own percent sign is encoded', `https://docs.example/?${encoded('p%41ss')}`, 'p%41ss'],
  ['with a percent sign', 'https://docs.example/?p%41ss', 'p%41ss'],
  ['less one letter', `https://docs.example/${partner.slice(1)}`],
  ['less one letter, in the host', `https://${partner.slice(0, -1)}.docs.example/`],
])('drops a link with the key of the request, and no other: %s', (_, href, apiKey = partner) => {
  const link = `<${href}>; rel=sunset, <https://docs.example/end>; rel=deprecation`;
  const sent = { deprecation: '@1', link };
  expect(read(sent, 200, undefined, apiKey)).toMatchObject({
    fields: { deprecation: '@1', link: '<https://docs.example/end>; rel="deprecation"' },
    malformed: [],
  });
  // The field is remembered, and what it says to another key is not.
  const { notices } = read(sent, 200, undefined, 'another-key-of-a-partner');
  expect(notices?.deprecation?.links).toHaveLength(2);
});

it('drops a link with any part of a key that identifies it, whichever characters are encoded', () => {
  const character = fc
    .integer({ min: 0x21, max: 0x7e })
    .map((code) => String.fromCharCode(code))
    .filter((one) => !',<>%'.includes(one));
  const keys = fc.array(character, { minLength: 9, maxLength: 40 }).map((all) => all.join(''));
  const form = fc.constantFrom(
    (one: string) => one,
    (one: string) => encodeURIComponent(one),
    (one: string) => encoded(one),
    (one: string) => encoded(encoded(one)),
    (one: string) => `\t${one}`,
    (one: string) => one.toUpperCase(),
  );
  fc.assert(
    fc.property(keys, fc.nat(), fc.array(form, { minLength: 1 }), (key, start, forms) => {
      const part = key.slice(start % (key.length - 8));
      const written = [...part].map((one, n) => forms[n % forms.length]?.(one)).join('');
      const sent = { deprecation: '@1', link: `<https://docs.example/?k=${written}>; rel=sunset` };
      expect(read(sent, 200, undefined, key).fields).toEqual({ deprecation: '@1' });
    }),
    { numRuns: 1000 },
  );
});

it('writes only fields of a known form, whatever it reads', () => {
  const piece = fc.constantFrom(
    '"a"',
    ';',
    ',',
    ' ',
    '\t',
    'r=',
    'q=1',
    't=9',
    '=',
    '12',
    '<',
    '>',
    '"',
    '\\',
    'https://a.b/',
    'rel=sunset',
    '@5',
  );
  const field = fc.option(
    fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => pieces.join('')),
    ),
    { nil: undefined },
  );
  const fields = fc.record({
    ratelimit: field,
    'ratelimit-policy': field,
    deprecation: field,
    sunset: field,
    link: field,
  });
  fc.assert(
    fc.property(fields, (sent) => {
      for (const value of Object.values(read(sent).fields)) expect(value).toMatch(/^[ -~]{1,1200}$/);
    }),
  );
});

it.each([
  ['more than a fifth', '"key";r=21;t=30', '"key";q=100;w=60', 0],
  ['a fifth', '"key";r=20;t=30', '"key";q=100;w=60', 0],
  ['less than a fifth', '"key";r=19;t=30', '"key";q=100;w=60', 30_000],
  [
    'the longest of several limits',
    '"a";r=1;t=5, "b";r=1;t=50, "c";r=90;t=99',
    '"a";q=10,"b";q=10, "c";q=100',
    50_000,
  ],
  ['parameters in another order', 'key;t=30;r=1', 'key;w=60;q=100', 30_000],
  ['a limit without a quota', '"key";r=1;t=30', undefined, 0],
  ['an empty limit without a quota', '"key";r=0;t=30', undefined, 30_000],
  ['the quota of another limit', '"key";r=1;t=30', '"other";q=100', 0],
  ['an absurd time', '"key";r=0;t=99999999', undefined, 3_600_000],
  ['no time', '"key";r=0', undefined, 0],
  ['something else', 'limit=100, remaining=0, reset=30', '100;w=60', 0],
  ['an empty field', '', '', 0],
  ['no field', undefined, undefined, 0],
])('reserves quota for queries: %s', (_, limit, policy, ms) => {
  expect(read({ ratelimit: limit, 'ratelimit-policy': policy }).notices?.reservedMs ?? 0).toBe(ms);
});
