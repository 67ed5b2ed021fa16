import { expect, it } from 'vitest';
import { scale } from '../../support/scale.ts';
import { startComparison, timeout } from './comparison.ts';
import { conversationId } from './data.ts';
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

/** Long enough for the calls that are answered, on a busy machine too. */
const patience = '10000';

// In the long run, because it waits for the time limits.
it.runIf(scale > 1)('fails slow operations like the full pipeline', { timeout }, async () => {
  const slow: [NodeJS.ProcessEnv, string][] = [
    [{ OPERATION_TIMEOUT_MS: patience }, '{ site(id: "SITE-never") { id } }'],
    [{ OPERATION_TIMEOUT_MS: patience }, '{ sites(ids: ["SITE-1", "SITE-never", "SITE-2"]) { id } }'],
    [
      { UPSTREAM_TIMEOUT_MS: patience },
      `{ conversationContext(id: "${conversationId('a010')}") { sites { site { id } } } }`,
    ],
  ];
  // Concurrently, because most of the time is waiting.
  const stages = await Promise.all(
    slow.map(async ([env, query]) => {
      const comparison = await startComparison(env);
      await comparison.send(post({ query }, { fields: { 'x-explain': 'report' } }));
      return comparison;
    }),
  );
  for (const comparison of stages) comparison.expectSame();
});
