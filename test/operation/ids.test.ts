import { expect, it } from 'vitest';
import { apiKey, startBoth } from '../support/gateway.ts';
import { bareSite, sendJson, siteFromPath } from '../support/upstream.ts';
import { bodyOf, jsonHeaders, send } from '../support/wire.ts';

const uuid = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';
const fields = { site: 'site(id: $id) { id }', conversation: 'conversationContext(id: $id) { id }' };
type Field = keyof typeof fields;

/** Requests a resource by an id in the document or in a variable, by POST or by GET. */
async function requestById(field: Field, id: unknown, isVariable: boolean, method: 'POST' | 'GET') {
  const { upstream, gateway } = await startBoth({}, (req, res) => {
    const path = req.url ?? '';
    sendJson(res, path.startsWith('/v1/site/') ? bareSite(siteFromPath(path).id) : { subject: 'x' });
  });
  // The JSON form of these strings is a valid GraphQL string.
  const query = isVariable
    ? `query ($id: ID!) { ${fields[field]} }`
    : `{ ${fields[field].replace('$id', JSON.stringify(id))} }`;
  const variables = isVariable ? { id } : {};
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  const response = await send(gateway.origin, {
    method,
    headers: { ...jsonHeaders, 'x-api-key': apiKey },
    ...(method === 'GET' ? { path: `/graphql?${search}` } : { body: bodyOf(query, { variables }) }),
  });
  return { paths: upstream.paths(), response };
}

const ways = [true, false].flatMap((isVariable) =>
  (['POST', 'GET'] as const).map((method) => [isVariable, method] as const),
);

it.each<[string, Field, unknown]>([
  ['an integer, taken as its text', 'site', 1001],
  ['a null byte', 'site', 'SITE-\u0000'],
  ['a line end', 'site', 'SITE-1\r\nx-api-key: other'],
  ['a lone surrogate', 'site', 'SITE-\ud800'],
  ['a segment of dots', 'site', 'SITE-x/../y'],
  ['a UUID and more', 'conversation', `${uuid}/context`],
  ['an integer for a UUID', 'conversation', 5],
])('rejects %s without a call', async (_, field, id) => {
  for (const [isVariable, method] of ways) {
    const { paths, response } = await requestById(field, id, isVariable, method);
    expect(paths).toEqual([]);
    // A document cannot contain a lone surrogate.
    const isText = isVariable || !/[\ud800-\udfff]/.test(String(id));
    expect(response.body).toContain(`"code":"${isText ? 'BAD_USER_INPUT' : 'GRAPHQL_PARSE_FAILED'}"`);
  }
});

it.each<[Field, unknown, string]>([
  ['site', 'SITE-12 B/ä?#%2F', '/v1/site/SITE-12%20B%2F%C3%A4%3F%23%252F'],
  ['site', 'SITE-..', '/v1/site/SITE-..'],
  ['site', 'SITE-a\\b&c=d+100% 😀', '/v1/site/SITE-a%5Cb%26c%3Dd%2B100%25%20%F0%9F%98%80'],
  ['conversation', uuid.toUpperCase(), `/v1/conversation/${uuid}/context`],
])('requests the %s %j', async (field, id, path) => {
  for (const [isVariable, method] of ways) {
    const { paths, response } = await requestById(field, id, isVariable, method);
    expect(paths).toEqual([path]);
    expect(response.status).toBe(200);
    expect(response.body).not.toContain('"errors"');
  }
});
