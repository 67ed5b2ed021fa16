import { expect } from 'vitest';
import { relations } from '../../../src/rest/resources.ts';
import { contextTarget, type Headers, siteTarget, withKey } from '../support/server.ts';
import {
  type Api,
  expectStatus,
  type Rule,
  type Rules,
  read,
  targetsOf,
  withConversation,
  withSite,
} from './rule.ts';

const REJECTED = [400, 401, 403, 404, 405, 410, 422];
const unknownId = '00000000-0000-4000-8000-000000000000';
const unknownKey = () => withKey('unknown-key-000000000000000000000000');
const noUuids = ['1', unknownId.slice(1), `%7B${unknownId}%7D`, `${unknownId}0`, "'%20or%201=1"];
const upper = (id: string) => contextTarget(id.toUpperCase());

/** Each of the targets has one of the statuses. */
function responds(
  statuses: number[],
  toTargets: (api: Api) => string[],
  toHeaders?: (api: Api) => Headers,
): Rule {
  return async (api) => {
    for (const target of toTargets(api)) {
      const { status } = await api.send(target, toHeaders?.(api));
      expect(statuses, target).toContain(status);
    }
  };
}

const rejects = (statuses: number[], toIds: (prefix: string) => string[]) =>
  responds(statuses, ({ siteIdPrefix }) => toIds(siteIdPrefix).map((id) => siteTarget(id)));

/** The site has exactly these relations with each of these queries. */
const returns = (expected: readonly string[], ...queries: string[]): Rule =>
  withSite(async (api) => {
    for (const query of queries) {
      const site = await read(api, siteTarget(api.siteId, query));
      expect(
        relations.filter((name) => name in site),
        query,
      ).toEqual(expected);
    }
  });

/** Rules that the REST document states, or leaves open as "not shown". Each response must fit `/v1/openapi.json` too. */
export const documentedRules: Rules = {
  'SITE-GET-01 MUST GET /v1/site/{id} responds with 200 and a Site (2.1, 4.2)': withSite(async (api) =>
    expect(await read(api, siteTarget(api.siteId))).toMatchObject({
      id: api.siteId,
      city: expect.any(String),
    }),
  ),
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
  'SITE-INCLUDE-07 SHOULD include adds the relations and changes nothing else (7)': withSite(async (api) => {
    const { clients, projects, ...rest } = await read(
      api,
      siteTarget(api.siteId, '?include=clients,projects'),
    );
    expect(rest).toEqual(await read(api, siteTarget(api.siteId)));
  }),
  'SITE-ID-02 MUST an id without the prefix is not accepted (4.2)': rejects(REJECTED, (prefix) => [
    ...['1001', `X${prefix}-1`, prefix, `${prefix}1`],
  ]),
  'SITE-ID-03 SHOULD a malformed id is a 400 (7)': rejects([400], (prefix) => [
    ...['1001', `${prefix}-\n`, `${prefix}-${'x'.repeat(300)}`],
  ]),
  'SITE-ID-04 SHOULD an unknown site is a 404 (7)': rejects([404], (prefix) => [`${prefix}-?`]),
  'SITE-ID-05 SHOULD SQL in an id is text: an unknown site (7)': rejects([404], (prefix) => [
    ...[`${prefix}-' or 1=1 --`, `${prefix}-%`, `${prefix}-_001`, `${prefix}-"; drop --`],
  ]),
  'CONVERSATION-GET-01 MUST GET /v1/conversation/{id}/context responds with 200 and a context (2.5, 4.3)':
    withConversation(async (api) => {
      await read(api, contextTarget(api.conversationId));
    }),
  'CONVERSATION-ID-01 SHOULD a UUID is accepted in upper and lower case (7)': withConversation(async (api) =>
    expect(await read(api, upper(api.conversationId))).toEqual(
      await read(api, contextTarget(api.conversationId)),
    ),
  ),
  'CONVERSATION-ID-03 SHOULD an id that is not a UUID is a 400 (7)': responds([400], () =>
    noUuids.map(contextTarget),
  ),
  'CONVERSATION-ID-04 SHOULD an unknown id is a 404 (7)': responds([404], () => [contextTarget(unknownId)]),
  'KEY-01 MUST a request without a key is a 403 (5.3)': responds([403], targetsOf, () => ({})),
  'KEY-02 MUST a request with an unknown key is a 403 (5.4)': responds([403], targetsOf, unknownKey),
  'KEY-03 MUST a key in Authorization is not accepted (5.2)': responds([403], targetsOf, ({ key }) => ({
    authorization: `Bearer ${key}`,
  })),
  'KEY-06 SHOULD the key is checked before the path and the id (7)': responds(
    [403],
    () => ['/v1/nothing', '/v1', siteTarget('1001')],
    unknownKey,
  ),
  'HEALTH-01 MUST GET /v1/health responds with 200 to a key (4.1)': async (api) =>
    expectStatus(api, '/v1/health', 200),
  'CACHE-01 SHOULD every response has Cache-Control: no-store (7)': async (api) => {
    for (const target of targetsOf(api))
      expect((await api.send(target)).headers['cache-control']).toBe('no-store');
  },
  'LIMIT-02 SHOULD every response has RateLimit and RateLimit-Policy, and counts one (8)': async (api) => {
    const remaining = [];
    for (const target of [...targetsOf(api), siteTarget('1001'), '/v1/conversation/1/context']) {
      const { headers } = await api.send(target);
      expect(headers['ratelimit-policy'], target).toMatch(/;q=\d+;w=\d+$/);
      remaining.push(/;r=(\d+);t=\d+$/.exec(String(headers.ratelimit))?.[1]);
    }
    expect(new Set(remaining).size).toBe(remaining.length);
  },
  'VERSION-01 MUST all paths begin with /v1; others are errors (9)': responds(REJECTED, () => [
    '/health',
    '/',
    '/site/x',
  ]),
  'VERSION-02 SHOULD other versions are a 404 (9)': responds([404], () => [
    '/v2/health',
    '/V1/health',
    '/v11/health',
  ]),
};
