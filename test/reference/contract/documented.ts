import { expect } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { relations } from '../../../src/rest/resources.ts';
import { contextTarget, type Headers, siteTarget, withKey } from '../support/server.ts';
import { type Api, context, expectStatus, type Rules, read, site, targets } from './api.ts';

type Rule = (api: Api) => Promise<void>;

const REJECTED = [400, 401, 403, 404, 405, 410, 422];
const unknownId = '00000000-0000-4000-8000-000000000000';
const unknownKey = withKey('unknown-key-000000000000000000000000');
const noUuids = ['1', unknownId.slice(1), `%7B${unknownId}%7D`, `${unknownId}0`, "'%20or%201=1"];
const upper = contextTarget(demoConversations.main.toUpperCase());
const oddSites = (({ withSpace, withSlash, withPercent, withUmlaut }) => [
  ...[withSpace, withSlash, withPercent, withUmlaut],
])(demoSites());

/** Each of the targets has one of the statuses. */
function responds(statuses: number[], targets: string[], headers?: Headers): Rule {
  return async (api) => {
    for (const target of targets)
      expect(statuses, target).toContain((await api.send(target, headers)).status);
  };
}

const rejects = (statuses: number[], ...ids: string[]) =>
  responds(
    statuses,
    ids.map((id) => siteTarget(id)),
  );

/** The site has exactly these relations with each of these queries. */
const returns =
  (expected: readonly string[], ...queries: string[]): Rule =>
  async (api) => {
    for (const query of queries) {
      const found = await read(api, `${site}${query}`);
      expect(
        relations.filter((name) => name in found),
        query,
      ).toEqual(expected);
    }
  };

/** Rules that the REST document states, or leaves open as "not shown". Each response must fit `/v1/openapi.json` too. */
export const documentedRules: Rules = {
  'SITE-GET-01 MUST GET /v1/site/{id} responds with 200 and a Site (2.1, 4.2)': async (api) =>
    expect(await read(api, site)).toMatchObject({ id: demoSites().main, city: expect.any(String) }),
  'SITE-GET-04 SHOULD relations are absent unless included (2.1)': returns([], '', '?x=clients&include=,,'),
  'SITE-INCLUDE-01 MUST include=clients expands the clients (2.3)': returns(['clients'], '?include=clients'),
  'SITE-INCLUDE-02 MUST include=projects expands the projects (2.4)': returns(
    ['projects'],
    '?include=projects',
  ),
  'SITE-INCLUDE-03 MUST include takes a list with commas, in any order (4.2)': returns(
    relations,
    ...['?include=clients,projects', '?include=projects,clients', '?include=clients%2Cprojects'],
  ),
  'SITE-INCLUDE-04 SHOULD blanks, empty parts and repetitions in include are ignored (7)': returns(
    ['clients'],
    ...['?include=,%20clients%20,,clients,', '?include=+clients'],
  ),
  'SITE-INCLUDE-05 SHOULD unknown names and names in capitals in include are ignored (7)': returns(
    ['projects'],
    '?include=owners,Clients,projects',
  ),
  'SITE-INCLUDE-06 SHOULD several include parameters are combined (7)': returns(
    relations,
    '?include=clients&include=projects',
  ),
  'SITE-INCLUDE-07 SHOULD include adds the relations and changes nothing else (7)': async (api) => {
    const { clients, projects, ...rest } = await read(api, `${site}?include=clients,projects`);
    expect(rest).toEqual(await read(api, site));
  },
  'SITE-INCLUDE-08 SHOULD an included relation without members is an empty array': async (api) =>
    expect(await read(api, siteTarget(demoSites().withoutClients, '?include=clients'))).toMatchObject({
      clients: [],
    }),
  'SITE-ID-01 MUST any text may follow the hyphen of an id': async (api) => {
    for (const id of oddSites) expect((await read(api, siteTarget(id))).id).toBe(id);
  },
  'SITE-ID-02 MUST an id without the prefix is not accepted (4.2)': rejects(
    REJECTED,
    ...['1001', 'XSITE-1', 'SITE', 'SITE1'],
  ),
  'SITE-ID-03 SHOULD a malformed id is a 400 (7)': rejects(
    [400],
    ...['1001', 'site-1001', ' SITE-1', 'PROP-1', '__proto__', 'SITE-\u0000', 'SITE-a\nb', 'SITE-\u0085'],
    ...[`SITE-${'x'.repeat(196)}`, `SITE-${'🏠'.repeat(196)}`, `SITE-${'x'.repeat(10_240)}`],
  ),
  'SITE-ID-06 SHOULD an id whose percent-encoding is broken is a 400 (7)': responds(
    [400],
    ['%', '%zz', '%C3', '%ED%A0%80', '%FF'].map((text) => `/v1/site/SITE-${text}`),
  ),
  'SITE-ID-07 SHOULD a slash does not lead to another address (7)': responds(
    [404],
    ['/v1/site/SITE-North/Annex', '/v1/site/SITE-x/../SITE-1001'],
  ),
  'SITE-ID-08 SHOULD a dot segment is no id (7)': responds(
    [400],
    ['/v1/site/%2e%2e', '/v1/site/..%2Fhealth'],
  ),
  'SITE-ID-04 SHOULD an unknown site is a 404 (7)': rejects([404], 'SITE-?'),
  'SITE-ID-05 SHOULD SQL in an id is text: an unknown site (7)': rejects(
    [404],
    ...["SITE-' or 1=1 --", 'SITE-%', 'SITE-_001', 'SITE-"; drop --'],
  ),
  'CONVERSATION-GET-01 MUST GET /v1/conversation/{id}/context responds with 200 and a context (2.5, 4.3)': (
    api,
  ) => read(api, context),
  'CONVERSATION-GET-02 MUST no field of a context is required': async (api) =>
    expect(await read(api, contextTarget(demoConversations.withoutFields))).toEqual({}),
  'CONVERSATION-GET-03 SHOULD query parameters of a context are ignored': async (api) =>
    expect(await read(api, `${context}?include=sites`)).toEqual(await read(api, context)),
  'CONVERSATION-ID-01 SHOULD a UUID is accepted in upper and lower case (7)': async (api) =>
    expect(await read(api, upper)).toEqual(await read(api, context)),
  'CONVERSATION-ID-03 SHOULD an id that is not a UUID is a 400 (7)': responds(
    [400],
    noUuids.map(contextTarget),
  ),
  'CONVERSATION-ID-04 SHOULD an unknown id is a 404 (7)': responds([404], [contextTarget(unknownId)]),
  'KEY-01 MUST a request without a key is a 403 (5.3)': responds([403], targets, {}),
  'KEY-02 MUST a request with an unknown key is a 403 (5.4)': responds([403], targets, unknownKey),
  'KEY-03 MUST a key in Authorization is not accepted (5.2)': responds([403], targets, {
    authorization: `Bearer ${demoKeys.acme}`,
  }),
  'KEY-06 SHOULD the key is checked before the path and the id (7)': responds(
    [403],
    ['/v1/nothing', '/v1', siteTarget('1001')],
    unknownKey,
  ),
  'HEALTH-01 MUST GET /v1/health responds with 200 to a key (4.1)': (api) =>
    expectStatus(api, '/v1/health', 200),
  'CACHE-01 SHOULD every response has Cache-Control: no-store (7)': async (api) => {
    for (const target of targets) expect((await api.send(target)).headers['cache-control']).toBe('no-store');
  },
  'LIMIT-02 SHOULD every response has RateLimit and RateLimit-Policy, and counts one (8)': async (api) => {
    const remaining = [];
    for (const target of [...targets, siteTarget('1001'), '/v1/conversation/1/context']) {
      const { headers } = await api.send(target);
      expect(headers['ratelimit-policy'], target).toMatch(/;q=\d+;w=\d+$/);
      remaining.push(/;r=(\d+);t=\d+$/.exec(String(headers.ratelimit))?.[1]);
    }
    expect(new Set(remaining).size).toBe(remaining.length);
  },
  'VERSION-01 MUST all paths begin with /v1; others are errors (9)': responds(REJECTED, [
    '/health',
    '/',
    '/site/x',
  ]),
  'VERSION-02 SHOULD other versions are a 404 (9)': responds(
    [404],
    ['/v2/health', '/V1/health', '/v11/health'],
  ),
};
