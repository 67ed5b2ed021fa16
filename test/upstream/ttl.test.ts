import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ttlOf } from '../../src/upstream/cache/ttl.ts';

const configured = { freshMs: 60_000, staleMs: 600_000 };

const given = (cacheControl: string | string[] | undefined, age?: string, status = 200) =>
  ttlOf({ status, headers: { 'cache-control': cacheControl, age } }, configured);

it.each<[string | string[] | undefined]>([
  [undefined],
  [''],
  ['private'],
  ['public, immutable'],
  ['max-age=60'],
  ['max-age=3600'],
  ['max-age=99999999999999999999'],
  ['s-maxage=1'],
  ['x-no-store, no-storey'],
  ['private="no-store, max-age=0"'],
  ['extension="must-revalidate"'],
])('stores a response for the configured time under %j', (field) => {
  expect(given(field)).toEqual(configured);
});

it.each<[string | string[]]>([
  ['no-store'],
  ['No-Store'],
  ['NO-CACHE'],
  ['no-cache="set-cookie"'],
  ['private,no-store'],
  ['private , no-store ,'],
  [',,no-store'],
  ['max-age=60, no-store'],
  ['no-store, max-age=60'],
  ['private="x", no-store'],
  [['max-age=60', 'no-store']],
  [['private', 'no-cache, max-age=60']],
])('stores nothing under %j', (field) => {
  expect(given(field)).toBeNull();
});

it.each<[string | string[], string | undefined, number]>([
  ['max-age=60', '1.5', 0],
  ['max-age=60', '5,5', 0],
  ['max-age=60', '-1', 0],
  ['max-age=10', undefined, 10],
  ['Max-Age=10', undefined, 10],
  ['max-age="10"', undefined, 10],
  ['max-age = 10', undefined, 10],
  ['private,max-age=10', undefined, 10],
  [['private', 'max-age=10'], undefined, 10],
  ['max-age=10, s-maxage=50', undefined, 10],
  ['max-age=0', undefined, 0],
  ['max-age=010', undefined, 10],
  ['max-age=10', '0', 10],
  ['max-age=10', '4', 6],
  ['max-age=10', '10', 0],
  ['max-age=10', '11', 0],
  ['max-age=10', '99999999999999999999', 0],
  ['max-age=10', 'old', 0],
  ['max-age=100', '50', 50],
  ['max-age=100', '4', 60],
  ['max-age', undefined, 0],
  ['max-age=', undefined, 0],
  ['max-age=soon', undefined, 0],
  ['max-age=-1', undefined, 0],
  ['max-age=1.5', undefined, 0],
  ['max-age=1e3', undefined, 0],
  ['max-age="10', undefined, 0],
  ['max-age=5, max-age=50', undefined, 5],
  [['max-age=5', 'max-age=50'], undefined, 5],
])('treats a response with %j and the age %j as fresh for %i seconds', (field, age, seconds) => {
  expect(given(field, age)).toEqual({ freshMs: seconds * 1000, staleMs: configured.staleMs });
});

it.each([
  ['must-revalidate', 60_000],
  ['Must-Revalidate, max-age=10', 10_000],
])('allows no stale response under %j', (field, freshMs) => {
  expect(given(field)).toEqual({ freshMs, staleMs: 0 });
});

it('stores nothing that is neither fresh nor may be stale', () => {
  expect(given('must-revalidate, max-age=0')).toBeNull();
  expect(ttlOf({ status: 200, headers: {} }, { freshMs: 0, staleMs: 0 })).toBeNull();
});

it.each([201, 204, 206, 301, 302, 304, 400, 401, 403, 404, 410, 429, 500, 502, 503, 504])(
  'stores no %i, whatever its Cache-Control',
  (status) => {
    expect(given('max-age=60', undefined, status)).toBeNull();
  },
);

it('never stores a response for longer than configured, nor as fresh for longer than it allows', () => {
  const seconds = fc.oneof(fc.nat(200), fc.constantFrom('', 'x', '-1', '1e9', '9'.repeat(30)));
  const directive = fc.oneof(
    seconds.map((text) => `max-age=${text}`),
    seconds.map((text) => `MAX-AGE="${text}"`),
    fc.constantFrom('private', 'public', 'no-store', 'no-cache', 'must-revalidate', 's-maxage=900', ''),
    fc.string({ maxLength: 8 }),
  );
  const field = fc.array(directive, { maxLength: 4 }).map((all) => all.join(', '));
  const mostOf = fc.record({ freshMs: fc.nat(100_000), staleMs: fc.nat(100_000) });
  fc.assert(
    fc.property(
      mostOf,
      fc.array(field, { maxLength: 3 }),
      fc.option(seconds.map(String), { nil: undefined }),
      (most, fields, age) => {
        const ttl = ttlOf({ status: 200, headers: { 'cache-control': fields, age } }, most);
        expect(ttl?.freshMs ?? 0).toBeGreaterThanOrEqual(0);
        expect(ttl?.freshMs ?? 0).toBeLessThanOrEqual(most.freshMs);
        expect([0, most.staleMs]).toContain(ttl?.staleMs ?? 0);
        const plain = fields.length === 1 && /^max-age=(\d+)$/.exec(fields[0] ?? '');
        if (plain) expect(ttl?.freshMs ?? 0).toBeLessThanOrEqual(Number(plain[1]) * 1000);
      },
    ),
    { numRuns: 1_000 },
  );
});
