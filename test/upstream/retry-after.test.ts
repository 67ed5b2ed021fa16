import fc from 'fast-check';
import { expect, it } from 'vitest';
import { retryAfterFrom } from '../../src/upstream/transport.ts';

const now = Date.parse('2026-03-02T14:05:00Z');

it.each<[string | string[] | undefined, number | undefined]>([
  ['0', 0],
  ['1', 1],
  ['120', 120],
  [' 7 ', 7],
  ['3600', 3600],
  ['3601', 3600],
  ['9'.repeat(400), 3600],
  ['Mon, 02 Mar 2026 14:05:30 GMT', 30],
  ['Mon, 02 Mar 2026 14:05:00 GMT', 0],
  ['Mon, 02 Mar 2026 14:00:00 GMT', 0],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 3600],
  ['Mon, 99 Mar 2026 14:05:30 GMT', undefined],
  ['Mon, 02 Xyz 2026 14:05:30 GMT', undefined],
  ['2026-03-02T14:05:30Z', undefined],
  ['-1', undefined],
  ['+1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['0x10', undefined],
  ['soon', undefined],
  ['', undefined],
  [['1', '2'], undefined],
  [undefined, undefined],
])('reads %j as %j', (field, seconds) => {
  expect(retryAfterFrom(field, now)).toBe(seconds);
});

it('rounds a part of a second up, so that no retry comes too early', () => {
  expect(retryAfterFrom('Mon, 02 Mar 2026 14:05:30 GMT', now + 1)).toBe(30);
  expect(retryAfterFrom('Mon, 02 Mar 2026 14:05:30 GMT', now + 999)).toBe(30);
});

it('returns a whole number from 0 to 3600 or undefined, for any field', () => {
  const field = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'0123456789 -+.e') }),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  );
  fc.assert(
    fc.property(field, fc.nat(), (text, nowMs) => {
      const seconds = retryAfterFrom(text, nowMs);
      if (seconds === undefined) return;
      expect(Number.isInteger(seconds)).toBe(true);
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeLessThanOrEqual(3600);
    }),
  );
});

it('returns the seconds until a date', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3600 }), fc.integer({ min: 0, max: 4e9 }), (wait, nowSeconds) => {
      const date = new Date((nowSeconds + wait) * 1000).toUTCString();
      expect(retryAfterFrom(date, nowSeconds * 1000)).toBe(wait);
    }),
  );
});
