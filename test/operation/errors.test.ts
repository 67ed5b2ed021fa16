import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ErrorCode, errorCodes } from '../../src/errors.ts';
import type { UpstreamClient } from '../../src/upstream/client.ts';
import { apiKey, codes, postQuery, startGateway } from '../support/gateway.ts';
import { eventStream, multipart, postForParts } from '../support/incremental.ts';
import { startPipeline } from '../support/pipeline.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

const site = (id: string) => `{ site(id: "${id}") { id } }`;

/** A request for each error code: the document, and the response of the upstream. */
const ways: Record<ErrorCode, { query: string; status?: number; body?: string }> = {
  FORBIDDEN: { query: site('SITE-1'), status: 403 },
  BAD_USER_INPUT: { query: site('OTHER-1') },
  RATE_LIMITED: { query: site('SITE-1'), status: 429 },
  OPERATION_TOO_EXPENSIVE: {
    query: `{ health { reachable } sites(ids: [${Array.from({ length: 50 }, (_, n) => `"SITE-${n}"`)}]) { id } }`,
  },
  OPERATION_TOO_COMPLEX: { query: '{ a '.repeat(20) + '}'.repeat(20) },
  UPSTREAM_TIMEOUT: { query: site('SITE-1'), status: 0 },
  UPSTREAM_UNAVAILABLE: { query: site('SITE-1'), status: 503 },
  UPSTREAM_INVALID_RESPONSE: { query: site('SITE-1'), status: 200, body: 'canary' },
  GRAPHQL_PARSE_FAILED: { query: '{' },
  GRAPHQL_VALIDATION_FAILED: { query: '{ nothing }' },
  OVERLOADED: { query: site('SITE-1'), status: -2 },
  BAD_REQUEST: { query: 'query A { __typename } query B { __typename }' },
  INTERNAL_SERVER_ERROR: { query: site('SITE-1'), status: -1 },
};

it.each(errorCodes)('responds with the code %s', async (code) => {
  const { query, status = 200, body = '{}' } = ways[code];
  const start = { [-1]: startFaulty, [-2]: startBusy }[status] ?? (() => startScripted(status, body));
  expect(codes(await postQuery((await start()).url, query))).toEqual([code]);
});

/** A gateway with MAX_CONCURRENT_OPERATIONS active operations, until the test ends. */
async function startBusy() {
  const upstream = await startUpstream(() => {});
  const gateway = await startGateway(upstream.url, { MAX_CONCURRENT_OPERATIONS: '1' });
  const client = new AbortController();
  postQuery(gateway.url, site('SITE-1'), { signal: client.signal }).catch(() => {});
  onTestFinished(() => client.abort());
  await upstream.received(1);
  return gateway;
}

async function startScripted(status: number, body: string) {
  const upstream = await startUpstream((_, res) => status > 0 && res.writeHead(status).end(body));
  return startGateway(upstream.url, status === 0 ? { UPSTREAM_TIMEOUT_MS: '100' } : {});
}

it.each<[string, object]>([
  ['query ($id: ID!) { site(id: $id) { id } }', {}],
  ['query ($id: ID!) { site(id: $id) { id } }', { id: null }],
  ['query ($id: ID!) { site(id: $id) { id } }', { id: ['SITE-1', 'SITE-2'] }],
  ['query ($ids: [ID!]!) { sites(ids: $ids) { id } }', { ids: ['SITE-1', null] }],
  ['query ($on: Boolean!) { site(id: "SITE-1") { id @skip(if: $on) } }', { on: 'yes' }],
])('rejects invalid variables of %s with BAD_USER_INPUT: %j', async (query, variables) => {
  const upstream = await startUpstream((_, res) => sendJson(res, bareSite('SITE-1')));
  const gateway = await startGateway(upstream.url);
  const response = await postQuery(gateway.url, query, { variables: { ...variables } });
  expect(upstream.requests).toEqual([]);
  expect(response.status).toBeLessThan(500);
  expect(codes(response)).toEqual(['BAD_USER_INPUT']);
  expect(response.data ?? null).toBeNull();
});

const canary = 'canary-4711';
const masked = { message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } };

/** A gateway with an internal error wherever a relation or the site SITE-1 is read. */
async function startFaulty() {
  const fault = () => Object.assign(new Error(canary), { extensions: { canary }, code: canary });
  const client: UpstreamClient = {
    async getSite(_, id, include) {
      if (id === 'SITE-1' || include.length > 0) throw fault();
      return { id } as Awaited<ReturnType<UpstreamClient['getSite']>>;
    },
    getConversationContext: () => Promise.reject(fault()),
    getHealth: () => Promise.reject(fault()),
    close: async () => {},
  };
  return startPipeline(client);
}

describe.each(['production', 'development', 'test'])('with NODE_ENV=%s', (env) => {
  afterEach(() => vi.unstubAllEnvs());

  it('sends only the code of an internal error, and reports the error to the operator', async () => {
    vi.stubEnv('NODE_ENV', env);
    const { url, faults } = await startFaulty();
    const response = await postQuery(url, '{ a: site(id: "SITE-1") { id } b: site(id: "SITE-2") { id } }');
    expect(response).toMatchObject({ status: 200, data: { a: null, b: { id: 'SITE-2' } } });
    expect(response.errors).toEqual([{ ...masked, path: ['a'], locations: [{ line: 1, column: 3 }] }]);
    expect(faults).toEqual([expect.objectContaining({ message: canary })]);
  });

  it.each([multipart, eventStream])('sends only the code in a deferred part, %s', async (accept) => {
    vi.stubEnv('NODE_ENV', env);
    const { url, faults } = await startFaulty();
    const query = '{ site(id: "SITE-2") { id ... @defer { clients { id } projects { id } } } }';
    const { status, parts } = await postForParts(url, query, { accept });
    expect(status).toBe(200);
    expect(parts[0]).toEqual({ data: { site: { id: 'SITE-2' } }, hasNext: true });
    const errors = parts.flatMap((part) => part.incremental ?? []).flatMap((part) => part.errors ?? []);
    expect(errors).toEqual(
      ['clients', 'projects'].map((relation) => ({
        ...masked,
        path: ['site', relation],
        locations: expect.any(Array),
      })),
    );
    expect(JSON.stringify(parts)).not.toContain(canary);
    expect(faults).toHaveLength(2);
  });

  it.each([multipart, eventStream])('sends only the code in a streamed part, %s', async (accept) => {
    vi.stubEnv('NODE_ENV', env);
    const { url, faults } = await startFaulty();
    const query = '{ sites(ids: ["SITE-2", "SITE-1"]) @stream(initialCount: 1) { id } }';
    const { parts } = await postForParts(url, query, { accept });
    expect(parts[0]).toEqual({ data: { sites: [{ id: 'SITE-2' }] }, hasNext: true });
    const errors = parts.flatMap((part) => part.incremental ?? []).flatMap((part) => part.errors ?? []);
    expect(errors).toEqual([{ ...masked, path: ['sites', 1], locations: expect.any(Array) }]);
    expect(faults).toHaveLength(1);
  });
});

it('sends only the code where the error makes data null', async () => {
  const { url } = await startFaulty();
  const response = await postQuery(url, '{ health { reachable } }');
  expect(response.data).toBeNull();
  expect(response.errors).toMatchObject([{ ...masked, path: ['health'] }]);
  expect(JSON.stringify(response)).not.toContain(canary);
});

describe('contains no upstream body, address or key', () => {
  const key = `${canary}-key`;
  const headers = {
    'x-canary': canary,
    'retry-after': canary,
    location: `http://${canary}.test/`,
    server: canary,
  };
  const bodies: [string, number, string][] = [
    ['a 403', 403, canary],
    ['an invalid key', 401, JSON.stringify({ error: canary })],
    ['a 429', 429, canary],
    ['a 503', 503, canary],
    ['a redirect', 302, canary],
    ['an unknown status', 418, canary],
    ['no JSON', 200, canary],
    ['broken JSON', 200, `{"id":"${canary}`],
    ['a string', 200, JSON.stringify(canary)],
    ['another id', 200, JSON.stringify({ id: `SITE-${canary}` })],
    ['a malformed date', 200, JSON.stringify({ ...bareSite('SITE-1'), createdAt: canary })],
    ['an incomplete response', 0, canary],
    ['no response', -1, canary],
  ];

  it.each(bodies)('in the errors after %s', async (_, status, body) => {
    const upstream = await startUpstream((_req, res) => {
      if (status === -1) return res.destroy();
      res.writeHead(status || 200, headers);
      return status === 0 ? res.write(body, () => res.destroy()) : res.end(body);
    });
    const gateway = await startGateway(`${upstream.url}/${canary}-base`);
    const query = '{ site(id: "SITE-1") { createdAt } }';
    const whole = await postQuery(gateway.url, query, { key, headers: { 'x-explain': 'report' } });
    const deferred = query.replace('createdAt', 'id ... @defer { createdAt clients { id } }');
    const inParts = await postForParts(gateway.url, deferred, { key });
    expect(upstream.requests.map(({ apiKey }) => apiKey)).toContain(key);
    expect(codes(whole)).toHaveLength(1);
    const output = JSON.stringify([
      whole,
      ...whole.headers,
      inParts.parts,
      ...inParts.headers,
      gateway.lines,
    ]);
    expect(output).not.toContain(canary);
    expect(output).not.toContain(new URL(upstream.url).port);
    expect(output).not.toContain('127.0.0.1');
    expect(output).not.toMatch(/node_modules|\bat \w+ \(/);
  });
});

it.each([
  ['mutation { site }', 'There is no mutation here: the API is read-only.'],
  ['subscription { site }', 'There is no subscription here: live queries need LIVE=on.'],
])('rejects %s, because the API has only queries', async (query, message) => {
  const upstream = await startUpstream((_, res) => sendJson(res, bareSite('SITE-1')));
  const gateway = await startGateway(upstream.url);
  const { errors = [], data } = await postQuery(gateway.url, query);
  expect(upstream.requests).toEqual([]);
  expect(data).toBeUndefined();
  expect(errors[0]).toMatchObject({
    message,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
});

it('lists errors in the order of the document, whichever failed first', async () => {
  // Responds in the reverse order of the requests.
  const waiting: ServerResponse[] = [];
  const upstream = await startUpstream((req, res) => {
    waiting.unshift(res);
    if (siteFromPath(req.url ?? '').id === 'SITE-4') respondNext();
  });
  const respondNext = () => {
    const next = waiting.shift();
    if (!next) return;
    next.once('close', respondNext);
    sendJson(next, { id: 'another' });
  };
  const gateway = await startGateway(upstream.url, { retryPercent: 0 });
  const { errors = [] } = await postQuery(
    gateway.url,
    '{ sites(ids: ["SITE-1", "SITE-2"]) { id } b: site(id: "SITE-3") { id } a: site(id: "SITE-4") { id } }',
  );
  expect(errors.map(({ path }) => path?.join('.'))).toEqual(['sites.0', 'sites.1', 'b', 'a']);
});

/** The statuses that docs/errors.md lists. */
it.each([
  ['{', 'application/graphql-response+json', 400],
  ['{ nothing }', 'application/graphql-response+json', 400],
  ['{ nothing }', 'multipart/mixed', 400],
  ['{ nothing }', 'application/json', 200],
  ['{ nothing }', '*/*', 200],
  ['{ nothing }', 'text/event-stream', 200],
  ['query ($id: ID!) { site(id: $id) { id } }', 'application/graphql-response+json', 400],
  ['query ($id: ID!) { site(id: $id) { id } }', 'application/json', 400],
  ['query A { __typename } query B { __typename }', 'application/json', 400],
])('responds to %s, accepting %s, with %i', async (query, accept, status) => {
  const gateway = await startGateway('http://127.0.0.1:9');
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, accept, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  expect(response.status).toBe(status);
  expect(await response.text()).toContain('"errors"');
});

it('suggests no name of the schema where introspection is off', async () => {
  const gateway = await startGateway('http://127.0.0.1:9', { INTROSPECTION: 'off' });
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: '{ sit(idd: "SITE-1") { id } helth { reachabl } site(id: "1", ix: 1) { idd } }',
    }),
  });
  const text = await response.text();
  expect(text).toContain('GRAPHQL_VALIDATION_FAILED');
  expect(text).not.toContain('Did you mean');
});
