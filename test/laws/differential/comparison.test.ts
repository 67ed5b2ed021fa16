import { expect, it } from 'vitest';
import { commonCases } from './heads.ts';
import { post } from './requests.ts';
import { openStage } from './stage.ts';

/** What must not go unnoticed: in the head, in the body, in the calls. */
it.each([
  ['a field of the head', { CORS_ORIGINS: 'https://app.test' }],
  ['a status', { MAX_TOKENS: '5' }],
  ['a word in a body', { MAX_UPSTREAM_CALLS: '49' }],
  ['calls that are made', { CACHE_TTL_MS: '60000' }],
  ['a call that is made twice', { RETRY_PERCENT: '100' }],
])('notices %s that differs', async (_, otherwise) => {
  const stage = await openStage({}, { otherwise });
  const failing = post({ query: '{ site(id: "SITE-s503") { id } }' });
  for (const one of [...commonCases, failing]) await stage.send(one);
  expect(stage.expectSame).toThrow();
});

it('notices nothing where there is nothing', async () => {
  const stage = await openStage();
  for (const one of commonCases) await stage.send(one);
  stage.expectSame();
});
