import fc from 'fast-check';
import { expect, it } from 'vitest';
import { passedNotices, readNotices } from '../../../src/features/notices/fields.ts';
import { combined, type Notices } from '../../../src/rest/notices.ts';

/** The notices of a response with these header fields, and as the gateway writes them. */
function read(fields: Record<string, string | undefined>, status = 200, retryAfter?: number) {
  const notices = readNotices({ status, headers: fields, retryAfter });
  return { notices, fields: written(notices) };
}

function written(notices: Notices | null): Record<string, string> {
  return Object.fromEntries(passedNotices({ notices }));
}

const quota = { remaining: 97, limit: 100, windowSeconds: 60, resetSeconds: 41 };
const standard = { ratelimit: '"default";r=97;t=41', 'ratelimit-policy': '"default";q=100;w=60' };

it.each([
  ['both fields', '"key";r=97;t=41', '"key";q=100;w=60', quota, standard],
  [
    'tokens, other parameters and spaces',
    'key; t=41; r=97;pk=:AQ==:',
    'other;q=1 , key;w=60;q=100;qu="a"',
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
  ['both fields of draft 7', 'limit=100, remaining=97, reset=41', '100;w=60', quota, standard],
  [
    'no policy, and no time',
    '"key";r=97',
    undefined,
    { remaining: 97, limit: null, windowSeconds: null, resetSeconds: null },
    { ratelimit: '"default";r=97' },
  ],
])('reads a quota from %s, and writes it in standard form', (_, limit, policy, expected, fields) => {
  const { notices, fields: sent } = read({ ratelimit: limit, 'ratelimit-policy': policy });
  expect(notices?.quota).toEqual(expected);
  expect(sent).toEqual(fields);
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

it.each([
  { ratelimit: 'limit=100, remaining=97' },
  { 'ratelimit-limit': '100', 'ratelimit-remaining': '97', 'x-ratelimit-remaining': '97' },
  { ratelimit: '"key";t=41' },
  { ratelimit: '"key";r=-1' },
  { ratelimit: '"key";r=1.5' },
  { ratelimit: '"key";r=9999999999999999' },
  { ratelimit: `"${'k'.repeat(1000)}";r=97` },
  { ratelimit: '' },
  { deprecation: 'true' },
  { deprecation: '@999999999999' },
  { sunset: '2026-12-31' },
  { sunset: 'Thu, 99 Dec 2026 23:59:59 GMT' },
])('ignores what is malformed: %j', (fields) => {
  expect(read(fields as Record<string, string>).notices).toBeNull();
});

it('takes a 429 for an exhausted quota, whatever its fields say', () => {
  expect(read({}, 429, 7).fields).toEqual({ ratelimit: '"default";r=0;t=7' });
  expect(
    read({ ratelimit: '"key";r=2;t=41', 'ratelimit-policy': '"key";q=100;w=60' }, 429, 7).fields,
  ).toEqual({ ratelimit: '"default";r=0;t=41', 'ratelimit-policy': '"default";q=100;w=60' });
});

it('keeps of several responses the least remaining, and the latest deprecation', () => {
  const all = [
    { ratelimit: '"key";r=5', deprecation: '@1767225600' },
    { ratelimit: '"key";r=3', sunset: 'Sun, 31 Jan 2027 00:00:00 GMT' },
    { ratelimit: '"key";r=4', sunset: 'Thu, 31 Dec 2026 23:59:59 GMT' },
  ];
  const notices = all.flatMap((fields) => read(fields).notices ?? []);
  expect(notices).toHaveLength(3);
  expect(written(notices.reduce<Notices | null>(combined, null))).toEqual({
    ratelimit: '"default";r=3',
    sunset: 'Thu, 31 Dec 2026 23:59:59 GMT',
  });
});

it('reads of Deprecation and Sunset a date in each form of GMT', () => {
  const dates = { deprecation: 'Sunday, 31-Jan-27 00:00:00 GMT', sunset: 'Thu, 31 Dec 2026 23:59:59 GMT' };
  const expected = { since: '2027-01-31T00:00:00.000Z', sunset: '2026-12-31T23:59:59.000Z' };
  expect(read(dates).notices?.deprecation).toEqual(expected);
});

it('writes only fields of a known form, whatever it reads', () => {
  const piece = fc.constantFrom('"a"', ';', ',', ' ', '\t', 'r=', 'q=1', 't=9', '=', '12', '"', '\\', '@5');
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
  });
  fc.assert(
    fc.property(fields, (sent) => {
      for (const value of Object.values(read(sent).fields)) expect(value).toMatch(/^[ -~]{1,200}$/);
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
  ['no field', undefined, undefined, 0],
])('reserves quota for queries: %s', (_, limit, policy, ms) => {
  expect(read({ ratelimit: limit, 'ratelimit-policy': policy }).notices?.reservedMs ?? 0).toBe(ms);
});
