import type { GraphQLResolveInfo } from 'graphql';
import { expect, it } from 'vitest';
import { recorderOf } from '../../../src/features/explain/recorder.ts';
import type { ConversationId, SiteId } from '../../../src/input.ts';
import { UpstreamTimeout } from '../../../src/upstream/errors.ts';
import { createHeldCalls, nextTick } from '../../support/held-calls.ts';

const site = 'SITE-1' as SiteId;

it('records the fields that needed each call', async () => {
  const { calls, loaders, sites } = createHeldCalls();
  const recorder = recorderOf(calls);
  expect(recorderOf(calls)).toBe(recorder);
  const names = ['bare', 'clients', 'both', 'conversation', 'health'];
  const fields = names.map((fieldName) => ({ fieldName }) as GraphQLResolveInfo);
  const [bare, clients, both, conversation, health] = fields;
  void loaders.site(site, [], bare);
  await nextTick();
  void loaders.site(site, ['clients'], clients);
  await nextTick();
  void loaders.site(site, ['clients', 'projects'], both);
  void loaders.conversationContext('a' as ConversationId, conversation);
  void loaders.health(health);
  await nextTick();
  sites[2]?.response.fail(new UpstreamTimeout(10));
  await nextTick();
  const needed = (path: string) => {
    const { include, fields } = recorder.demandFor(path);
    return [include, [...fields].map(({ fieldName }) => fieldName)];
  };
  expect(
    [
      '/v1/site/SITE-1',
      '/v1/site/SITE-1?include=clients',
      '/v1/site/SITE-1?include=projects',
      '/v1/conversation/a/context',
      '/v1/health',
    ].map(needed),
  ).toEqual([
    [[], ['bare', 'both']],
    [['clients'], ['clients', 'both']],
    [['projects'], ['both']],
    [[], ['conversation']],
    [[], ['health']],
  ]);
});
