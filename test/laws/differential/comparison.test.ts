import { expect, it } from 'vitest';
import { startComparison } from './comparison.ts';
import { commonCases } from './heads.ts';
import { post } from './requests.ts';

/** One difference in the head, the status, the body and the calls each. */
it.each([
  ['a field of the head', { CORS_ORIGINS: 'https://app.test' }],
  ['a status', { tokens: 5 }],
  ['a word in a body', { MAX_UPSTREAM_CALLS: '49' }],
  ['the calls', { CACHE_TTL_MS: '60000' }],
  ['a repeated call', { retryPercent: 100 }],
])('finds %s that differs', async (_, otherwise) => {
  const comparison = await startComparison({}, { otherwise });
  const failing = post({ query: '{ site(id: "SITE-s503") { id } }' });
  for (const one of [...commonCases, failing]) await comparison.send(one);
  expect(comparison.expectSame).toThrow();
});

it('finds no difference where there is none', async () => {
  const comparison = await startComparison();
  for (const one of commonCases) await comparison.send(one);
  comparison.expectSame();
});
