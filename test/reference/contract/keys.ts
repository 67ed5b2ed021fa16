import { expect } from 'vitest';
import { demoConversations, demoSites } from '../../../reference/data/demo-ids.ts';
import { contextTarget, type Headers, siteTarget, withKey } from '../support/server.ts';
import { type Api, expectStatus, type Rules, read, targetsOf, withDemo } from './rule.ts';

const UNKNOWN = 'unknown-key-000000000000000000000000';
const site = siteTarget(demoSites().main);
const context = contextTarget(demoConversations.main);

/** The bodies of the 403s for these headers, at every target. */
async function rejectionsOf(api: Api, headers: Headers, targets = targetsOf(api)): Promise<string[]> {
  const responses = [];
  for (const target of targets) responses.push(await expectStatus(api, target, 403, headers));
  return responses.map(({ body }) => body);
}

export const keyRules: Rules = {
  'KEY-04 SHOULD a missing, empty, malformed, unknown and repeated key get the same response': async (
    api,
  ) => {
    const doubled: Headers = { 'x-api-key': [api.key, api.key] };
    const texts = ['', ' ', 'x', UNKNOWN, `${api.key}0`, `${api.key}, ${api.key}`, 'x'.repeat(4_000)];
    const rejected: Headers[] = [{}, doubled, ...texts.map(withKey)];
    const bodies = [];
    for (const headers of rejected) bodies.push(...(await rejectionsOf(api, headers)));
    expect(new Set(bodies).size).toBe(1);
  },
  'KEY-05 MUST a revoked key (5.9, 5.10) and an expired key are not accepted': withDemo(async (api) => {
    const bodies = await rejectionsOf(api, {});
    bodies.push(...(await rejectionsOf(api, withKey(api.demo?.revoked ?? ''))));
    bodies.push(...(await rejectionsOf(api, withKey(api.demo?.expired ?? ''))));
    expect(new Set(bodies).size).toBe(1);
  }),
  'SCOPE-01 MUST each endpoint requires its scope (5.6): site:read, conversation:read, none for health':
    withDemo(async (api) => {
      const { siteOnly = '', conversationOnly = '', scopeless = '' } = api.demo ?? {};
      const statuses = async (key: string) => {
        const all = [];
        for (const target of ['/v1/health', site, context])
          all.push((await api.send(target, withKey(key))).status);
        return all;
      };
      expect(await statuses(siteOnly)).toEqual([200, 200, 403]);
      expect(await statuses(conversationOnly)).toEqual([200, 403, 200]);
      expect(await statuses(scopeless)).toEqual([200, 403, 403]);
    }),
  'SCOPE-02 SHOULD a missing scope differs from an invalid key in the problem type only, and is checked before the id':
    withDemo(async (api) => {
      const scopeless = withKey(api.demo?.scopeless ?? '');
      const [lacking = '', malformed] = await rejectionsOf(api, scopeless, [site, siteTarget('malformed')]);
      const [unknown = ''] = await rejectionsOf(api, {});
      const [{ type, ...rest }, { type: otherType, ...otherRest }] = [
        JSON.parse(lacking),
        JSON.parse(unknown),
      ];
      expect(rest).toEqual(otherRest);
      expect(type).not.toBe(otherType);
      expect(malformed).toBe(lacking);
    }),
  "TENANT-01 MUST a key cannot read another partner's sites and conversations (5.5)": withDemo(
    async (api) => {
      const globex = withKey(api.demo?.globex ?? '');
      for (const target of [siteTarget(demoSites().withSlash), context]) {
        await expectStatus(api, target, 200);
        await expectStatus(api, target, 404, globex);
      }
    },
  ),
  "TENANT-02 SHOULD another partner's object and an unknown one get the same 404": withDemo(async (api) => {
    const globex = withKey(api.demo?.globex ?? '');
    const foreign = await api.send(siteTarget(demoSites().withSlash), globex);
    const missing = await api.send(siteTarget('SITE-no such site'), globex);
    expect(foreign.body).toBe(missing.body);
    expect(Object.keys(foreign.headers)).toEqual(Object.keys(missing.headers));
  }),
  'TENANT-03 MUST where two partners have the same id, each reads its own object': withDemo(async (api) => {
    const globex = withKey(api.demo?.globex ?? '');
    for (const target of [site, contextTarget(demoConversations.shared)]) {
      expect(await read(api, target)).not.toEqual(await read(api, target, globex));
    }
  }),
};
