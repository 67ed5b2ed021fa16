import { expect, it } from 'vitest';
import { accessText, addToAccess, unknownAccess } from '../../graphiql/cost/access/access.ts';
import { isLow, quotaText } from '../../graphiql/cost/quota/quota.ts';
import { deprecationFrom, deprecationText, pagesOf } from '../../graphiql/deprecation/deprecation.ts';

it.each([
  [1200, 6000, 41, '1,200 of 6,000 left, again full in 41 s', false],
  [1199, 6000, 3541, '1,199 of 6,000 left, again full in 60 min', true],
  [0, null, null, '0 left', false],
])('says what is left: %s of %s', (remaining, limit, resetSeconds, text, low) => {
  const quota = { remaining, limit, resetSeconds };
  expect([quotaText(quota), isLow(quota)]).toEqual([text, low]);
});

const page = { rel: 'sunset', href: 'https://a.test/end' };

it.each([
  ['is deprecated since 1 January 2026 and ends on 31 December 2026.', '@1767225600', '31 Dec 2026 23:59:59'],
  ['will be deprecated on 2 January 2027.', '@1798848000', ''],
  ['ended on 1 January 2026.', 'soon', '01 Jan 2026 00:00:00'],
])('says that the REST API %s', (expected, deprecation, sunset) => {
  const link = `<https://a.test/next>; rel="next", <${page.href}>; rel="sunset"`;
  const headers = new Headers({ deprecation, ...(sunset && { sunset: `Thu, ${sunset} GMT` }), link });
  const read = deprecationFrom(headers) ?? expect.unreachable();
  expect(read.links).toEqual([page]);
  expect(deprecationText(read, Date.UTC(2026, 5))).toBe(`The REST API behind this gateway ${expected}`);
});

it('links to pages of the web only', () => {
  const links = [page, { rel: 'sunset', href: 'javascript:alert(1)' }, { rel: 'deprecation', href: '/x' }];
  const pages = [{ href: page.href, text: 'About the end' }];
  expect(pagesOf({ since: null, sunset: null, links })).toEqual(pages);
});

const site = (status: number) => ({ path: '/v1/site/S?include=clients', status });
const conversation = (status: number) => ({ path: '/v1/conversation/C/context', status });
const nothing =
  'This key has opened nothing in this tab: it may be unknown, revoked or of another environment.';

it.each([
  [undefined, [[site(200), conversation(404)], [site(500)]]],
  [
    'This key opens sites, but not conversations: ask for the scope of conversations.',
    [[site(404), site(403)], [conversation(403)]],
  ],
  [nothing, [[site(403), conversation(401)]]],
  [`${nothing} It may also lack the scope of sites.`, [[site(403)]]],
  [
    'This key has opened sites, but does not any more: it may be revoked.',
    [[site(200)], [site(403), conversation(403)]],
  ],
])('explains rejections: %s', (expected, operations) => {
  expect(accessText(operations.reduce(addToAccess, unknownAccess))).toBe(expected);
});
