import { expect, it } from 'vitest';
import { isLow, quotaText } from '../../graphiql/cost/report/quota.ts';
import { deprecationFrom, deprecationText } from '../../graphiql/deprecation/deprecation.ts';

it.each([
  [1200, 6000, 41, '1,200 of 6,000 left, resets in 41 s', false],
  [1199, 6000, 3541, '1,199 of 6,000 left, resets in 60 min', true],
  [0, null, null, '0 left', false],
])('says what is left: %s of %s', (remaining, limit, resetSeconds, text, low) => {
  const quota = { remaining, limit, resetSeconds };
  expect([quotaText(quota), isLow(quota)]).toEqual([text, low]);
});

it.each([
  ['is deprecated since 1 January 2026 and ends on 31 December 2026.', '@1767225600', '31 Dec 2026 23:59:59'],
  ['will be deprecated on 2 January 2027.', '@1798848000', ''],
  ['ended on 1 January 2026.', 'soon', '01 Jan 2026 00:00:00'],
])('says that the REST API %s', (expected, deprecation, sunset) => {
  const headers = new Headers({ deprecation, ...(sunset && { sunset: `Thu, ${sunset} GMT` }) });
  const read = deprecationFrom(headers) ?? expect.unreachable();
  expect(deprecationText(read, Date.UTC(2026, 5))).toBe(`The REST API behind this gateway ${expected}`);
});
