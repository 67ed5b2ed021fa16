import fc from 'fast-check';
import { expect, it } from 'vitest';
import { msFromDate, retryAfterFrom } from '../../src/upstream/http-date.ts';
import { headersOf } from '../support/response.ts';

const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The three forms of RFC 9110, 5.6.7. */
function formsOf(ms: number): string[] {
  const fixed = new Date(ms).toUTCString();
  const [, weekday = '', day = '', month = '', year = '', time = ''] =
    /^(\w+), (\d\d) (\w+) (\d{4}) (\S+) GMT$/.exec(fixed) ?? [];
  const long = names.find((name) => name.startsWith(weekday));
  return [
    fixed,
    `${long}, ${day}-${month}-${year.slice(2)} ${time} GMT`,
    `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
  ];
}

it('reads every date in each of its three forms, alone and repeated', () => {
  const year = new Date().getUTCFullYear();
  // The years that two digits can stand for.
  const ms = fc.integer({ min: Date.UTC(year - 49, 0) / 1000, max: Date.UTC(year + 51, 0) / 1000 - 1 });
  fc.assert(
    fc.property(ms, ms, fc.nat(2), fc.nat(2), (one, other, formOfOne, formOfOther) => {
      const texts = [formsOf(one * 1000)[formOfOne] ?? '', formsOf(other * 1000)[formOfOther] ?? ''];
      expect(texts.map(msFromDate)).toEqual([one * 1000, other * 1000]);
      const nowMs = Math.min(one, other) * 1000;
      const latest = Math.min(Math.abs(one - other), 3600);
      expect(retryAfterFrom(headersOf({ 'retry-after': texts }), nowMs)).toBe(latest);
    }),
  );
});

it.each([
  'Mon, 30 Feb 2026 14:05:30 GMT',
  'Sun, 29 Feb 2026 14:05:30 GMT',
  'Mon, 00 Mar 2026 14:05:30 GMT',
  'Mon, 99 Mar 2026 14:05:30 GMT',
  'Mon, 02 Xyz 2026 14:05:30 GMT',
  'Mon, 02 mar 2026 14:05:30 GMT',
  'Xyz, 02 Mar 2026 14:05:30 GMT',
  'Mon, 02 Mar 2026 24:00:00 GMT',
  'Mon, 02 Mar 2026 14:60:30 GMT',
  'Mon, 02 Mar 2026 14:05:61 GMT',
  'Mon, 02 Mar 0026 14:05:30 GMT',
  'Mon, 02 Mar 2026 14:05:30 UTC',
  'Mon, 2 Mar 2026 14:05:30 GMT',
  'Monday, 31-Feb-26 14:05:30 GMT',
  'Monday, 02-Mar-2026 14:05:30 GMT',
  'Mon Feb 30 14:05:30 2026',
  'Mon Mar 2 14:05:30 2026',
  '2026-03-02T14:05:30Z',
  '',
])('takes %j for no date', (text) => {
  expect(msFromDate(text)).toBeUndefined();
});

it('takes a leap second for the second after', () => {
  expect(msFromDate('Sat, 31 Dec 2016 23:59:60 GMT')).toBe(Date.UTC(2017, 0));
});

const now = Date.parse('2026-03-02T14:05:00Z');

it.each<[string | null, number | undefined]>([
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
  ['1, 2', 2],
  ['soon, 2', 2],
  ['120, Mon, 02 Mar 2026 14:05:30 GMT', 120],
  ['Monday, 02-Mar-26 14:05:30 GMT', 30],
  ['Mon Mar  2 14:05:30 2026', 30],
  ['Mon, 30 Feb 2026 14:05:30 GMT', undefined],
  [null, undefined],
])('reads Retry-After %j as %j', (field, seconds) => {
  expect(retryAfterFrom(headersOf({ 'retry-after': field ?? undefined }), now)).toBe(seconds);
});

it('rounds a part of a second of Retry-After up, so that no retry comes too early', () => {
  const headers = headersOf({ 'retry-after': 'Mon, 02 Mar 2026 14:05:30 GMT' });
  expect(retryAfterFrom(headers, now + 1)).toBe(30);
  expect(retryAfterFrom(headers, now + 999)).toBe(30);
});

it.each([
  ['Mon, 02 Mar 2026 14:05:00 GMT', 30],
  ['Monday, 02-Mar-26 14:05:10 GMT', 20],
  ['Mon Mar  2 14:05:29 2026', 1],
  ['now', 330],
])('measures a date of Retry-After against the Date %j of its response', (date, seconds) => {
  const headers = headersOf({ 'retry-after': 'Mon, 02 Mar 2026 14:05:30 GMT', date });
  expect(retryAfterFrom(headers, now - 300_000)).toBe(seconds);
  expect(retryAfterFrom(headersOf({ 'retry-after': '30', date }), now - 300_000)).toBe(30);
});
