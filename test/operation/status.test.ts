import { describe, expect, it } from 'vitest';
import { apiKey, startBoth } from '../support/gateway.ts';
import { sendSiteOrStatus } from '../support/upstream.ts';

const graphql = 'application/graphql-response+json';
const json = 'application/json';

const start = () => startBoth({}, sendSiteOrStatus);

async function statusOf(url: string, body: string, accept: string) {
  const headers = { 'content-type': json, 'x-api-key': apiKey, accept };
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  return { response, text, result: JSON.parse(text) as { data?: unknown; errors?: object[] } };
}

const withQuery = (query: string, more: object = {}) => JSON.stringify({ query, ...more });
const tens = Array.from({ length: 10 }, (_, ten) => {
  const ids = Array.from({ length: 10 }, (_, n) => `"SITE-${ten * 10 + n}"`);
  return `a${ten}: sites(ids: [${ids}]) { id }`;
}).join(' ');
const byId = 'query Named($id: ID!) { site(id: $id) { id } }';

/** Operations, with the status as `application/graphql-response+json` and as `application/json`. */
const cases: [what: string, body: string, graphqlStatus: number, jsonStatus: number][] = [
  ['data alone', withQuery('{ site(id: "SITE-1") { id } }'), 200, 200],
  ['data with an error', withQuery('{ sites(ids: ["SITE-1", "SITE-500"]) { id } }'), 294, 200],
  ['an error for each field', withQuery('{ site(id: "SITE-500") { id } }'), 294, 200],
  ['an invalid id beside others', withQuery('{ site(id: "1") { id } }'), 294, 200],
  ['a document that does not parse', withQuery('{'), 400, 200],
  ['a document that does not fit the schema', withQuery('{ nothing }'), 422, 200],
  ['no value of a variable', withQuery(byId), 422, 400],
  ['an invalid value of a variable', withQuery(byId, { variables: { id: [] } }), 422, 400],
  ['more sites than REST calls', withQuery(`{ ${tens} }`), 422, 400],
  ['no operation of this name', withQuery(byId, { operationName: 'Other' }), 422, 400],
  ['a document over the limits', withQuery(`{ ${'a: __typename '.repeat(2000)} }`), 422, 400],
  ['no document', '{}', 422, 400],
  ['variables in a list', withQuery(byId, { variables: ['SITE-1'] }), 400, 400],
  ['a list', '[]', 422, 400],
  ['no JSON', '{', 400, 400],
];

describe.each(cases)('%s', (_, body, graphqlStatus, jsonStatus) => {
  it(`has ${graphqlStatus} as ${graphql}, and ${jsonStatus} as ${json}`, async () => {
    const { gateway } = await start();
    const [ours, plain] = [
      await statusOf(gateway.url, body, graphql),
      await statusOf(gateway.url, body, json),
    ];
    expect([ours.response.status, plain.response.status]).toEqual([graphqlStatus, jsonStatus]);
    // It is none of HTTP.
    if (graphqlStatus === 294) expect(ours.response.statusText).toBe('Partial Success');
    expect(ours.result).toEqual(plain.result);
    expect('data' in ours.result).toBe(graphqlStatus < 300);
    for (const [{ response, text }, type] of [
      [ours, graphql],
      [plain, json],
    ] as const) {
      expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
      expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    }
  });
});

it.each(['multipart/mixed;deferSpec=20220824', 'multipart/mixed;incrementalSpec=v0.2'])(
  'keeps to 200 and 400 for a client that accepts %s alone',
  async (accept) => {
    const { gateway } = await start();
    for (const [, body, graphqlStatus] of cases) {
      const headers = { 'content-type': json, 'x-api-key': apiKey, accept };
      const response = await fetch(gateway.url, { method: 'POST', headers, body });
      expect(response.status).toBe(graphqlStatus < 300 ? 200 : 400);
    }
  },
);
