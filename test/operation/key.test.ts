import { getIntrospectionQuery } from 'graphql';
import { expect, it } from 'vitest';
import { apiKey, codes, postQuery, startBoth } from '../support/gateway.ts';
import { bodyOf, jsonHeaders, send, type WireRequest } from '../support/wire.ts';

const refusal =
  '{"errors":[{"message":"Send exactly one API key, in the x-api-key header.","extensions":{"code":"FORBIDDEN"}}]}';
const site = '{ site(id: "SITE-1") { id } }';

const unusable: [string, Record<string, string | string[]>][] = [
  ['no key', {}],
  ['an empty key', { 'x-api-key': '' }],
  ['two keys', { 'x-api-key': [apiKey, 'other'] }],
  ['two keys in one header', { 'x-api-key': `${apiKey}, other` }],
  ['a key of 257 bytes', { 'x-api-key': 'k'.repeat(257) }],
  ['only Authorization', { authorization: `Bearer ${apiKey}` }],
];

it.each(unusable)('rejects %s with 403 and names the header', async (_, headers) => {
  const { upstream, gateway } = await startBoth();
  const request = { headers: { ...jsonHeaders, ...headers }, body: bodyOf(site) };
  const response = await send(gateway.origin, request);
  expect(upstream.requests).toEqual([]);
  expect(response).toMatchObject({ status: 403, body: refusal });
});

const post = (body: string | undefined, more: Record<string, string> = {}): WireRequest => ({
  headers: { ...jsonHeaders, ...more },
  body,
});
const get = (search: string): WireRequest => ({
  method: 'GET',
  path: `/graphql${search}`,
  headers: { accept: 'application/json' },
});

/** Each with a fault that is not reported, because nothing is said about a request without a key. */
const keyless: WireRequest[] = [
  post(bodyOf(site)),
  post(bodyOf('{ canary')),
  post(bodyOf('{ __typename canary }')),
  post(bodyOf('mutation { __typename }')),
  post('{"query": "canary'),
  post(undefined),
  post(bodyOf('query A { __typename }', { operationName: 'B' })),
  post(bodyOf('{ a '.repeat(5_000) + '}'.repeat(5_000))),
  post(bodyOf(site), { 'content-type': 'text/plain' }),
  get(`?query=${encodeURIComponent(site)}`),
  get(''),
  get('?query=%7Bhealth%7Ba%7D%7D&variables=%7B'),
];

it.each(['open', 'key', 'off'])(
  'responds to every request without a key with the same 403, with INTROSPECTION=%s',
  async (INTROSPECTION) => {
    const { upstream, gateway } = await startBoth({ INTROSPECTION });
    for (const request of keyless) {
      const response = await send(gateway.origin, request);
      expect(response, JSON.stringify(request)).toMatchObject({ status: 403, body: refusal });
    }
    expect(upstream.requests).toEqual([]);
  },
);

const schemaOnly: [string, string, string?][] = [
  ['the introspection query', getIntrospectionQuery()],
  ['__typename', '{ __typename }'],
  ['an aliased __type', '{ site: __type(name: "Site") { fields { name } } }'],
  ['an inline fragment', '{ ... on Query { ... { __schema { queryType { name } } } } }'],
  ['named fragments', '{ ...A ...A } fragment A on Query { ...B } fragment B on Query { __typename }'],
  ['one of several operations', 'query A { __typename } query B { __typename }', 'A'],
];

it.each<[string, string, string?]>([
  ['a tenant field beside it', `{ __typename site(id: "SITE-1") { id } }`],
  ['a tenant field under its name', `{ __typename: site(id: "SITE-1") { id } }`],
  ['a tenant field that is skipped', `{ __typename site(id: "SITE-1") @skip(if: true) { id } }`],
  [
    'a tenant field in a named fragment',
    `{ __typename ...A } fragment A on Query { ...B } fragment B on Query ${site}`,
  ],
  ['a deferred tenant field', `{ __typename ... @defer { site(id: "SITE-1") { id } } }`],
  ['another operation chosen', `query A { __typename } query B ${site}`, 'B'],
  ['none of several operations chosen', `query A { __typename } query B { __typename }`],
])('requires a key for %s', async (_, query, operationName) => {
  const { upstream, gateway } = await startBoth();
  const response = await send(gateway.origin, {
    headers: jsonHeaders,
    body: bodyOf(query, { operationName }),
  });
  expect(upstream.requests).toEqual([]);
  expect(response).toMatchObject({ status: 403, body: refusal });
});

it.each(schemaOnly)(
  'executes %s without a key only where introspection is open',
  async (_, query, operationName) => {
    const { upstream, gateway } = await startBoth();
    const body = bodyOf(query, { operationName });
    const response = await send(gateway.origin, { headers: jsonHeaders, body });
    expect(upstream.requests).toEqual([]);
    expect(response.status).toBe(200);
    expect(JSON.parse(response.body)).toEqual({ data: expect.any(Object) });

    const { gateway: closed } = await startBoth({ INTROSPECTION: 'key' });
    const refused = await send(closed.origin, { headers: jsonHeaders, body });
    expect(refused).toMatchObject({ status: 403, body: refusal });
    const headers = { ...jsonHeaders, 'x-api-key': apiKey };
    expect(await send(closed.origin, { headers, body })).toMatchObject({ status: 200 });
  },
);

it('rejects introspection, and nothing else, where it is off', async () => {
  const { upstream, gateway } = await startBoth({ INTROSPECTION: 'off' });
  const hidden = await postQuery(gateway.url, getIntrospectionQuery());
  expect(new Set(codes(hidden))).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']));
  expect(hidden.data).toBeUndefined();
  expect(await postQuery(gateway.url, '{ __typename site(id: "SITE-1") { __typename } }')).toMatchObject({
    data: { __typename: 'Query', site: { __typename: 'Site' } },
  });
  expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
});
