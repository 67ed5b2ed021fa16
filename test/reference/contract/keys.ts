import { expect } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { contextTarget, type Headers, siteTarget, withKey } from '../support/server.ts';
import { type Api, context, expectStatus, globex, type Rules, read, site, targets } from './api.ts';

const UNKNOWN = 'unknown-key-000000000000000000000000';

/** The bodies of the 403s for these headers, at every target. */
async function rejectionsOf(api: Api, headers: Headers, at = targets): Promise<string[]> {
  const responses = [];
  for (const target of at) responses.push(await expectStatus(api, target, 403, headers));
  return responses.map(({ body }) => body);
}

export const keyRules: Rules = {
  'KEY-04 SHOULD a missing, empty, malformed, unknown and repeated key get the same response': async (
    api,
  ) => {
    const doubled: Headers = { 'x-api-key': [demoKeys.acme, demoKeys.acme] };
    const texts = [
      '',
      ' ',
      'x',
      UNKNOWN,
      `${demoKeys.acme}0`,
      `${demoKeys.acme}, ${demoKeys.acme}`,
      'x'.repeat(4_000),
    ];
    const rejected: Headers[] = [{}, doubled, ...texts.map(withKey)];
    const bodies = [];
    for (const headers of rejected) bodies.push(...(await rejectionsOf(api, headers)));
    expect(new Set(bodies).size).toBe(1);
  },
  'KEY-05 MUST a revoked key (5.9, 5.10) and an expired key are not accepted': async (api) => {
    const bodies = await rejectionsOf(api, {});
    bodies.push(...(await rejectionsOf(api, withKey(demoKeys.revoked))));
    bodies.push(...(await rejectionsOf(api, withKey(demoKeys.expired))));
    expect(new Set(bodies).size).toBe(1);
  },
  'SCOPE-01 MUST each endpoint requires its scope (5.6): site:read, conversation:read, none for health':
    async (api) => {
      const statuses = async (key: string) => {
        const all = [];
        for (const target of targets) all.push((await api.send(target, withKey(key))).status);
        return all;
      };
      expect(await statuses(demoKeys.siteOnly)).toEqual([200, 200, 403]);
      expect(await statuses(demoKeys.conversationOnly)).toEqual([200, 403, 200]);
    },
  'SCOPE-02 SHOULD a missing scope differs from an invalid key in the problem type only, and is checked before the id':
    async (api) => {
      const scopeless = withKey(demoKeys.conversationOnly);
      const [lacking = '', malformed] = await rejectionsOf(api, scopeless, [site, siteTarget('malformed')]);
      const [unknown = ''] = await rejectionsOf(api, {});
      const [{ type, ...rest }, { type: otherType, ...otherRest }] = [
        JSON.parse(lacking),
        JSON.parse(unknown),
      ];
      expect(rest).toEqual(otherRest);
      expect(type).not.toBe(otherType);
      expect(malformed).toBe(lacking);
    },
  "TENANT-01 MUST a key cannot read another partner's sites and conversations (5.5)": async (api) => {
    for (const target of [siteTarget(demoSites().withSlash), context]) {
      await expectStatus(api, target, 200);
      await expectStatus(api, target, 404, globex);
    }
  },
  "TENANT-02 SHOULD another partner's object and an unknown one get the same 404": async (api) => {
    const foreign = await api.send(siteTarget(demoSites().withSlash), globex);
    const missing = await api.send(siteTarget('SITE-no such site'), globex);
    expect(foreign.body).toBe(missing.body);
    expect(Object.keys(foreign.headers)).toEqual(Object.keys(missing.headers));
  },
  'TENANT-03 MUST where two partners have the same id, each reads its own object': async (api) => {
    for (const target of [site, contextTarget(demoConversations.shared)]) {
      expect(await read(api, target)).not.toEqual(await read(api, target, globex));
    }
  },
};
