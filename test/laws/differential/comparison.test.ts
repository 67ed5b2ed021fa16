import { expect, it } from 'vitest';
import { startComparison } from './comparison.ts';
import { commonCases } from './heads.ts';
import { post } from './requests.ts';

/** One difference in the head, the body and the calls each. */
it.each([
  ['a field of the head', { CORS_ORIGINS: 'https://app.test' }],
  ['a word in a body', { MAX_UPSTREAM_CALLS: '49' }],
  ['a repeated call', { retryPercent: 100 }],
])('finds %s that differs', async (_, otherwise) => {
  const comparison = await startComparison({}, { otherwise });
  const failing = post({ query: '{ site(id: "SITE-s503") { id } }' });
  const some = commonCases.filter((_, n) => n % 3 === 0);
  for (const one of [...some, failing]) await comparison.send(one);
  expect(comparison.expectSame).toThrow();
});
