import { expect } from 'vitest';
import { demoConversations, demoSites } from '../../../src/reference/data/demo-ids.ts';
import { contextTarget, type Headers, siteTarget, withKey } from '../support/server.ts';
import { type Api, expectStatus, type Rule, read, targetsOf } from './rule.ts';

const UNKNOWN = 'unknown-key-000000000000000000000000';
const site = siteTarget(demoSites().main);
const context = contextTarget(demoConversations.main);

/** The bodies of the 403s for these headers, at every target. */
async function rejectionsOf(api: Api, headers: Headers, targets = targetsOf(api)): Promise<string[]> {
  const responses = [];
  for (const target of targets) responses.push(await expectStatus(api, target, 403, headers));
  return responses.map(({ body }) => body);
}

export const keyRules: Rule[] = [
  {
    id: 'KEY-01',
    level: 'MUST',
    title: 'a request without a key is a 403 (5.3)',
    run: async (api) => void (await rejectionsOf(api, {})),
  },
  {
    id: 'KEY-02',
    level: 'MUST',
    title: 'a request with an unknown key is a 403 (5.4)',
    run: async (api) => void (await rejectionsOf(api, withKey(UNKNOWN))),
  },
  {
    id: 'KEY-03',
    level: 'MUST',
    title: 'a key in Authorization is not accepted (5.2)',
    async run(api) {
      await rejectionsOf(api, { authorization: `Bearer ${api.key}` });
      await rejectionsOf(api, { authorization: api.key });
    },
  },
  {
    id: 'KEY-04',
    level: 'SHOULD',
    title: 'a missing, empty, malformed, unknown and repeated key get the same response',
    async run(api) {
      const doubled: Headers = { 'x-api-key': [api.key, api.key] };
      const rejected = [{}, withKey(''), withKey('x'), withKey(UNKNOWN), withKey('x'.repeat(4_000)), doubled];
      const bodies = [];
      for (const headers of rejected) bodies.push(...(await rejectionsOf(api, headers)));
      expect(new Set(bodies).size).toBe(1);
    },
  },
  {
    id: 'KEY-05',
    level: 'MUST',
    title: 'a revoked key (5.9, 5.10) and an expired key are not accepted',
    needs: 'demo',
    async run(api) {
      const bodies = await rejectionsOf(api, {});
      bodies.push(...(await rejectionsOf(api, withKey(api.demo?.revoked ?? ''))));
      bodies.push(...(await rejectionsOf(api, withKey(api.demo?.expired ?? ''))));
      expect(new Set(bodies).size).toBe(1);
    },
  },
  {
    id: 'KEY-06',
    level: 'SHOULD',
    title: 'the key is checked before the address, the method and the id',
    async run(api) {
      await rejectionsOf(api, withKey(UNKNOWN), [
        '/v1/nothing',
        '/v1',
        siteTarget('malformed'),
        contextTarget('1'),
      ]);
      expect((await api.send('/v1/health', {}, 'PUT')).status).toBe(403);
    },
  },
  {
    id: 'SCOPE-01',
    level: 'MUST',
    title: 'each endpoint requires its scope (5.6): site:read, conversation:read, none for health',
    needs: 'demo',
    async run(api) {
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
    },
  },
  {
    id: 'SCOPE-02',
    level: 'SHOULD',
    title:
      'a missing scope differs from an invalid key in the problem type only, and is checked before the id',
    needs: 'demo',
    async run(api) {
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
    },
  },
  {
    id: 'TENANT-01',
    level: 'MUST',
    title: "a key cannot read another partner's sites and conversations (5.5)",
    needs: 'demo',
    async run(api) {
      const globex = withKey(api.demo?.globex ?? '');
      for (const target of [siteTarget(demoSites().withSlash), context]) {
        await expectStatus(api, target, 200);
        await expectStatus(api, target, 404, globex);
      }
    },
  },
  {
    id: 'TENANT-02',
    level: 'SHOULD',
    title: "another partner's object and an unknown one get the same 404",
    needs: 'demo',
    async run(api) {
      const globex = withKey(api.demo?.globex ?? '');
      const foreign = await api.send(siteTarget(demoSites().withSlash), globex);
      const missing = await api.send(siteTarget('SITE-no such site'), globex);
      expect(foreign.body).toBe(missing.body);
      expect(Object.keys(foreign.headers)).toEqual(Object.keys(missing.headers));
    },
  },
  {
    id: 'TENANT-03',
    level: 'MUST',
    title: 'where two partners have the same id, each reads its own object',
    needs: 'demo',
    async run(api) {
      const globex = withKey(api.demo?.globex ?? '');
      for (const target of [site, contextTarget(demoConversations.shared)]) {
        expect(await read(api, target)).not.toEqual(await read(api, target, globex));
      }
    },
  },
];
