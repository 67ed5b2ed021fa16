import { expect, it } from 'vitest';
import { subgraphSdl } from '../../../src/features/federation/subgraph.ts';
import { composition } from '../../../src/features.ts';
import { schema, servedSchema } from '../../../src/schema/index.ts';
import { codes, postQuery, startBoth, type TestSettings, testConfig } from '../../support/gateway.ts';
import { bareSite, conversation, sendJson, sendSite, siteFromPath } from '../../support/upstream.ts';

/** An upstream with every site and conversation, whose sites SITE-404 and the like have these statuses. */
const start = (env: TestSettings = {}) =>
  startBoth({ FEDERATION: 'on', retryPercent: 0, ...env }, (req, res) => {
    const path = req.url ?? '';
    if (!path.startsWith('/v1/site/'))
      return sendJson(res, { subject: 'Boiler', messages: [{ text: 'Hi' }] });
    const { id, include } = siteFromPath(path);
    const relations = Object.fromEntries(
      include.map((relation) => [relation, [{ id: `${relation} of ${id}` }]]),
    );
    sendJson(res, { ...bareSite(id), city: `City of ${id}`, ...relations }, Number(id.slice(5)) || 200);
  });

const site = (id: string) => ({ __typename: 'Site', id });
const talk = { __typename: 'ConversationContext', id: conversation };
const many = (count: number, id = (n: number) => `SITE-a${n}`) =>
  Array.from({ length: count }, (_, n) => site(id(n)));

const both = `query ($r: [_Any!]!) { _entities(representations: $r) {
  __typename ... on Site { id clients { id } } ... on ConversationContext { subject } } }`;
const cities = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Site { id city } } }';

it('keeps the order and number of representations, each of which fails alone', async () => {
  const { upstream, gateway } = await start();
  const unknown = { __typename: 'Client', id: 'CLIENT-1' };
  const r = [site('SITE-b'), talk, site('SITE-404'), site('SITE-500'), unknown, { __typename: 'Site' }];
  r.push(site('OTHER-1'), site('SITE-a'), site('SITE-b'));
  const response = await postQuery(gateway.url, both, { variables: { r: [...r, 'SITE-a'] } });
  expect(upstream.paths().sort()).toEqual(
    [
      `/v1/conversation/${conversation}/context`,
      ...['a', 'b', '404'].map((end) => `/v1/site/SITE-${end}?include=clients`).sort(),
      '/v1/site/SITE-500',
      '/v1/site/SITE-500?include=clients',
    ].sort(),
  );
  const found = (id: string) => ({ __typename: 'Site', id, clients: [{ id: `clients of ${id}` }] });
  expect(response.data).toEqual({
    _entities: [
      found('SITE-b'),
      { __typename: 'ConversationContext', subject: 'Boiler' },
      ...[null, null, null, null, null],
      ...[found('SITE-a'), found('SITE-b'), null],
    ],
  });
  expect(
    response.errors?.map(({ path, message, extensions }) => [path?.[1], extensions.code, message]),
  ).toEqual([
    [3, 'UPSTREAM_UNAVAILABLE', expect.any(String)],
    [4, 'BAD_USER_INPUT', 'The __typename of a representation must be Site or ConversationContext.'],
    [5, 'BAD_USER_INPUT', 'A representation must have an id, a string.'],
    [6, 'BAD_USER_INPUT', 'A site id must start with "SITE-".'],
    [9, 'BAD_USER_INPUT', 'The __typename of a representation must be Site or ConversationContext.'],
  ]);
});

it('rejects each __typename that is no string alone, without a call', async () => {
  const { upstream, gateway } = await start();
  const deep = JSON.parse(`${'['.repeat(4000)}${']'.repeat(4000)}`);
  const typeNames = [deep, { toString: 'x' }, { __proto__: null }, ['Site'], [['Site']], 7, true, null];
  const r = [...typeNames.map((__typename) => ({ __typename, id: 'SITE-a' })), site('SITE-b')];
  const expected = {
    data: { _entities: [...typeNames.map(() => null), { id: 'SITE-b', city: 'City of SITE-b' }] },
    errors: typeNames.map((_, n) => ({ path: ['_entities', n], extensions: { code: 'BAD_USER_INPUT' } })),
  };
  // The first time by the full pipeline, the third by the fast path.
  for (let n = 0; n < 3; n += 1) {
    expect(await postQuery(gateway.url, cities, { variables: { r } })).toMatchObject(expected);
  }
  const literals = '[{ __typename: {}, id: "SITE-a" }, { __typename: ["Site"], id: "SITE-a" }]';
  const query = `{ _entities(representations: ${literals}) { __typename } }`;
  const response = await postQuery(gateway.url, query);
  expect(response.data).toEqual({ _entities: [null, null] });
  expect(codes(response)).toEqual(['BAD_USER_INPUT', 'BAD_USER_INPUT']);
  expect(upstream.paths()).toEqual(Array(3).fill('/v1/site/SITE-b'));
  expect(gateway.lines).toEqual([]);
});

it('rejects 60 representations in one field with one error that has the number, without a call', async () => {
  const { upstream, gateway } = await start();
  const response = await postQuery(gateway.url, cities, { variables: { r: many(60) } });
  expect(upstream.requests).toEqual([]);
  expect(response.data).toBeNull();
  expect(response.errors).toMatchObject([
    { message: 'A list may hold at most 50 ids, not 60.', extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});

it.each<[string, TestSettings, object[], object]>([
  ['the call budget', { maxIds: 100 }, many(60), { upstreamCalls: 60, limit: 50 }],
  ['the number of resources', { maxIds: 200 }, many(101, () => 'x'), { resources: 101, limit: 100 }],
])('rejects representations over %s before the first call', async (_, env, r, extensions) => {
  const { upstream, gateway } = await start(env);
  const response = await postQuery(gateway.url, cities, { variables: { r } });
  expect(upstream.requests).toEqual([]);
  expect(response).not.toHaveProperty('data');
  expect(response).toMatchObject({
    status: 400,
    errors: [{ extensions: { code: 'OPERATION_TOO_EXPENSIVE', ...extensions } }],
  });
});

it('checks the arguments of fields below representations before the first call', async () => {
  const { upstream, gateway } = await start();
  const query = `query ($r: [_Any!]!) { _entities(representations: $r) { ... on Site { id }
    ...T } } fragment T on ConversationContext { messages(first: -1) { text } }`;
  const response = await postQuery(gateway.url, query, { variables: { r: [talk] } });
  expect(upstream.requests).toEqual([]);
  expect(response).toMatchObject({
    data: { _entities: [null] },
    errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
  });
});

const service = '{ _service { sdl } }';

it('prints by `_service` what `portico print-schema --federation` prints, without a key where it is open', async () => {
  const { gateway } = await start();
  const { data } = await postQuery(gateway.url, service, { key: null });
  expect(data).toEqual({ _service: { sdl: subgraphSdl(schema) } });
});

it.each<[string, TestSettings, string | null, string]>([
  ['without a key where that is required', { INTROSPECTION: 'key' }, null, 'FORBIDDEN'],
  ['where introspection is off', { INTROSPECTION: 'off' }, 'key-0123456789', 'GRAPHQL_VALIDATION_FAILED'],
  ['under many aliases', {}, 'key-0123456789', 'OPERATION_TOO_COMPLEX'],
])('rejects `_service` %s', async (title, env, key, code) => {
  const { gateway } = await start(env);
  const query = title === 'under many aliases' ? '{ _service { a: sdl b: sdl c: sdl } }' : service;
  expect(codes(await postQuery(gateway.url, query, { key }))).toEqual([code]);
});

it('rejects a key that was revoked since, as a whole, and a request without one before any call', async () => {
  let status = 200;
  const { upstream, gateway } = await startBoth({ FEDERATION: 'on' }, (req, res) =>
    sendSite(req, res, {}, status),
  );
  const variables = { r: [site('SITE-a'), site('SITE-b')] };
  for (let n = 0; n < 2; n += 1)
    expect(codes(await postQuery(gateway.url, cities, { variables }))).toEqual([]);
  status = 403;
  const response = await postQuery(gateway.url, cities, { variables });
  expect(upstream.requests).toHaveLength(6);
  expect(response).toMatchObject({ status: 403, errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  expect(response).not.toHaveProperty('data');
  expect(await postQuery(gateway.url, cities, { variables, key: null })).toMatchObject({ status: 403 });
  expect(upstream.requests).toHaveLength(6);
});

it('serves the very schema of before where it is off', async () => {
  expect(servedSchema(composition.compose(testConfig({ LIVE: 'off' }), () => {}).schema)).toBe(schema);
  expect(Object.keys(schema.getTypeMap()).filter((name) => /^_[^_]/.test(name))).toEqual([]);
  const { upstream, gateway } = await start({ FEDERATION: 'off' });
  const response = await postQuery(gateway.url, '{ _entities(representations: []) { __typename } }');
  expect(codes(response)).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  expect(upstream.requests).toEqual([]);
});

it('reads no representations by `live`', async () => {
  const { upstream, gateway } = await start({ LIVE: 'on' });
  const query = cities.replace('query', 'subscription').replace('{', '{ live {').concat(' }');
  const response = await postQuery(gateway.url, query, { variables: { r: [site('SITE-a')] } });
  expect(upstream.requests).toEqual([]);
  expect(response.errors).toMatchObject([{ message: '"_entities" cannot be read by "live": send a query.' }]);
});
