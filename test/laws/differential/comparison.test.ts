import { expect, it } from 'vitest';
import { startComparison } from './comparison.ts';
import { post } from './requests.ts';

/** One difference in the head, the body and the calls each. */
it.each([
  ['a field of the head', { CORS_ORIGINS: 'https://app.test' }],
  ['a word in a body', { MAX_UPSTREAM_CALLS: '49' }],
  ['a repeated call', { retryPercent: 100 }],
])('finds %s that differs', async (_, otherwise) => {
  const comparison = await startComparison({}, { otherwise });
  const report = { fields: { 'x-explain': 'report' } };
  for (const id of ['SITE-1', 'SITE-s503'])
    await comparison.send(post({ query: `{ site(id: "${id}") { id } }` }, report));
  expect(comparison.expectSame).toThrow();
});
