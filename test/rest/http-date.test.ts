import { expect, it } from 'vitest';
import { retryAfterFrom } from '../../src/rest/http-date.ts';

const now = Date.parse('2026-03-02T14:05:00Z');

it.each<[string | null, number | undefined]>([
  ['0', 0],
  ['7 ', 7],
  ['3601', 3600],
  ['9'.repeat(400), 3600],
  ['Mon, 02 Mar 2026 14:05:30 GMT', 30],
  ['Mon, 02 Mar 2026 14:00:00 GMT', 0],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 3600],
  ['Mon, 99 Mar 2026 14:05:30 GMT', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['', undefined],
  ['soon', undefined],
  ['Monday, 02-Mar-26 14:05:30 GMT', 30],
  ['Mon Mar  2 14:05:30 2026', undefined],
  [null, undefined],
])('reads Retry-After %j as %j', (field, seconds) => {
  expect(retryAfterFrom({ 'retry-after': field ?? undefined }, now)).toBe(seconds);
});

it('rounds a part of a second of Retry-After up, so that no retry comes too early', () => {
  const headers = { 'retry-after': 'Mon, 02 Mar 2026 14:05:30 GMT' };
  for (const ms of [1, 999]) expect(retryAfterFrom(headers, now + ms)).toBe(30);
});
