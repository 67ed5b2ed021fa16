import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  apiKey,
  codes,
  type GraphqlResponse,
  startBoth,
  startGateway,
  type TestSettings,
} from '../../support/gateway.ts';
import { eventStream, multipart, postForParts } from '../../support/incremental.ts';
import { writeManifest } from '../../support/manifest.ts';
import { bareSite, sendJson, siteFromPath } from '../../support/upstream.ts';

const documents = {
  site: 'query ($id: ID!) { site(id: $id) { id } }',
  three: '{ site(id: "SITE-3") { id } }',
  two: 'query A { site(id: "SITE-1") { id } } query B { site(id: "SITE-2") { city } }',
  deferred: '{ site(id: "SITE-1") { id ... @defer { clients { name } } } }',
  ['__proto__']: '{ site(id: "SITE-4") { id } }',
};

async function start(env: TestSettings = {}) {
  const { path } = await writeManifest(documents);
  return startBoth({ TRUSTED_DOCUMENTS: path, ...env }, (req, res) => {
    const { id, include } = siteFromPath(req.url ?? '');
    sendJson(res, { ...bareSite(id), ...(include.length > 0 && { clients: [{ name: 'Ann' }] }) });
  });
}

interface Headers {
  key?: string | null;
  accept?: string;
}

async function post(url: string, params: object, headers: Headers = {}): Promise<GraphqlResponse> {
  return read(url, { method: 'POST', body: JSON.stringify(params) }, headers);
}

async function get(url: string, params: Record<string, string>): Promise<GraphqlResponse> {
  return read(`${url}?${new URLSearchParams(params)}`, {});
}

async function read(
  url: string,
  init: RequestInit,
  { key = apiKey, accept = 'application/json' }: Headers = {},
) {
  const headers = { 'content-type': 'application/json', accept, ...(key !== null && { 'x-api-key': key }) };
  const response = await fetch(url, { ...init, headers });
  return { status: response.status, headers: response.headers, ...((await response.json()) as object) };
}

function persisted(sha256Hash: unknown, version: unknown = 1): object {
  return { extensions: { persistedQuery: { version, sha256Hash } } };
}

const refused = (message: string) => ({
  status: 400,
  errors: [{ message, extensions: { code: 'BAD_REQUEST' } }],
});

/** Expects this message for an unknown hash, with the status that clients of each media type can read. */
const graphqlResponse = { accept: 'application/graphql-response+json' };

async function expectFallback(url: string, message: string, code: string): Promise<void> {
  const rejected = { status: 400, errors: [{ message, extensions: { code } }] };
  const fallback = { ...rejected, status: 200 };
  const inUrl = { extensions: '{"persistedQuery":{"sha256Hash":"x"}}' };
  expect(await post(url, { ...persisted('x'), query: '' })).toMatchObject(fallback);
  expect(await get(url, inUrl)).toMatchObject(fallback);
  expect(await post(url, persisted('x'), graphqlResponse)).toMatchObject(rejected);
}

const onlyMessage = 'Only trusted documents are executed: send a documentId, and no query.';

describe.each(['on', 'off'])('with TRUSTED_DOCUMENTS_ONLY=%s', (TRUSTED_DOCUMENTS_ONLY) => {
  const variables = { id: 'SITE-7' };

  it.each([
    ['documentId', { documentId: 'site' }],
    ['a hash', persisted('site')],
    ['an empty query beside it', { documentId: 'site', query: '' }],
  ])('executes the document of a POST with %s', async (_, params) => {
    const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS_ONLY });
    for (let times = 0; times < 2; times += 1) {
      const response = await post(gateway.url, { ...params, variables });
      expect(upstream.paths()).toEqual(Array(times + 1).fill('/v1/site/SITE-7'));
      expect(response).toMatchObject({ status: 200, data: { site: { id: 'SITE-7' } } });
      expect(response.errors).toBeUndefined();
    }
  });

  it('executes the document of a GET', async () => {
    const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS_ONLY });
    const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash: 'site' } });
    const response = await get(gateway.url, { extensions, variables: JSON.stringify(variables) });
    expect(upstream.paths()).toEqual(['/v1/site/SITE-7']);
    expect(response).toMatchObject({ status: 200, data: { site: { id: 'SITE-7' } } });
  });

  it.each([multipart, eventStream])(
    'responds incrementally in %s, and rejects an unknown id',
    async (accept) => {
      const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS_ONLY });
      const { status, parts } = await postForParts(gateway.url, { documentId: 'deferred' }, { accept });
      expect(upstream.paths()).toEqual(['/v1/site/SITE-1', '/v1/site/SITE-1?include=clients']);
      expect(status).toBe(200);
      expect(parts[0]).toEqual({ data: { site: { id: 'SITE-1' } }, hasNext: true });
      expect(JSON.stringify(parts.slice(1))).toContain('Ann');
      const unknown = await postForParts(gateway.url, { documentId: 'x' }, { accept });
      expect(upstream.requests).toHaveLength(2);
      expect({ status: unknown.status, ...unknown.parts[0] }).toMatchObject(
        refused('No document has this id.'),
      );
    },
  );

  it('selects an operation by its name', async () => {
    const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS_ONLY });
    const response = await post(gateway.url, { documentId: 'two', operationName: 'B' });
    expect(upstream.paths()).toEqual(['/v1/site/SITE-2']);
    expect(response).toMatchObject({ status: 200, data: { site: { city: null } } });
    for (const operationName of [undefined, 'C']) {
      const unclear = await post(gateway.url, { documentId: 'two', operationName });
      expect(codes(unclear)).toEqual(['OPERATION_RESOLUTION_FAILURE']);
    }
    expect(upstream.requests).toHaveLength(1);
  });

  it('treats the names of properties of objects like any other id', async () => {
    const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS_ONLY });
    const unknown = await post(gateway.url, { documentId: 'constructor' });
    expect(unknown).toMatchObject(refused('No document has this id.'));
    const { status } = await post(gateway.url, { documentId: 'constructor' }, graphqlResponse);
    expect(status).toBe(400);
    await post(gateway.url, { documentId: '__proto__' });
    await post(gateway.url, persisted('__proto__'));
    expect(upstream.paths()).toEqual(['/v1/site/SITE-4', '/v1/site/SITE-4']);
  });

  it.each([5, ['site']])('rejects the documentId %j', async (documentId) => {
    const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS_ONLY });
    const response = await post(gateway.url, { documentId, variables });
    expect(upstream.requests).toEqual([]);
    expect(response).toMatchObject(refused('The "documentId" must be a text.'));
  });

  it.each(['open', 'key', 'off'])(
    'responds with the same 403 without a key, with INTROSPECTION=%s',
    async (INTROSPECTION) => {
      const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS_ONLY, INTROSPECTION });
      for (const params of [{ documentId: 'three' }, { documentId: 'x' }, persisted('three'), {}]) {
        expect(await post(gateway.url, params, { key: null })).toMatchObject({
          status: 403,
          errors: [{ extensions: { code: 'FORBIDDEN' } }],
        });
      }
      expect(upstream.requests).toEqual([]);
    },
  );
});

it('applies the limits for texts to no trusted document', async () => {
  const { upstream, gateway } = await start({
    tokens: 5,
    depth: 1,
    characters: 50,
  });
  const response = await post(gateway.url, { documentId: 'two', operationName: 'B' });
  expect(upstream.paths()).toEqual(['/v1/site/SITE-2']);
  expect(response).toMatchObject({ status: 200, data: { site: { city: null } } });
  for (const query of [documents.two, documents.three]) {
    expect(codes(await post(gateway.url, { query }))).toEqual(['OPERATION_TOO_COMPLEX']);
  }
});

describe('where texts are executed too', () => {
  const query = '{ site(id: "SITE-1") { id } }';

  it.each([
    ['alone', {}],
    ['beside an unknown hash', persisted('x')],
    ['beside an unknown documentId', { documentId: 'x' }],
  ])('executes a text %s', async (_, params) => {
    const { upstream, gateway } = await start();
    const response = await post(gateway.url, { query, ...params });
    expect(upstream.paths()).toEqual(['/v1/site/SITE-1']);
    expect(response).toMatchObject({ status: 200, data: { site: { id: 'SITE-1' } } });
  });

  it.each([persisted('three'), { documentId: 'three' }])(
    'executes the trusted document of %j, not the text beside it',
    async (params) => {
      const { upstream, gateway } = await start();
      const response = await post(gateway.url, { query, ...params });
      expect(upstream.paths()).toEqual(['/v1/site/SITE-3']);
      expect(response).toMatchObject({ status: 200, data: { site: { id: 'SITE-3' } } });
    },
  );

  it('requests the text from a client of automatic persisted queries', async () => {
    const { upstream, gateway } = await start();
    await expectFallback(gateway.url, 'PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND');
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    { documentId: null },
    persisted('site', 2),
    persisted(5),
    { extensions: { persistedQuery: null } },
  ])('responds to %j as without trusted documents', async (params) => {
    const { gateway } = await start();
    const plain = await startGateway('http://127.0.0.1:9');
    const response = await post(gateway.url, params);
    expect(response.status).toBe(400);
    expect({ ...response, headers: null }).toEqual({ ...(await post(plain.url, params)), headers: null });
  });

  it('executes introspection without a key beside any id', async () => {
    const { upstream, gateway } = await start();
    const response = await post(gateway.url, { query: '{ __typename }', documentId: 'three' }, { key: null });
    expect(upstream.requests).toEqual([]);
    expect(response).toMatchObject({ status: 200, data: { __typename: 'Query' } });
  });
});

describe('where only trusted documents are executed', () => {
  it.each<[string, object]>([
    ['the text of a trusted document', { query: documents.three }],
    ['a text beside a trusted id', { query: documents.three, documentId: 'three' }],
    ['a text beside a trusted hash', { query: documents.three, ...persisted('three') }],
    ['a text that is no GraphQL', { query: '{' }],
    ['introspection', { query: getIntrospectionQuery(), operationName: 'IntrospectionQuery' }],
    ['nothing', {}],
  ])('rejects %s', async (_, params) => {
    const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS_ONLY: 'on' });
    const response = await post(gateway.url, params);
    expect(upstream.requests).toEqual([]);
    expect(response).toMatchObject(refused(onlyMessage));
    expect(response.data).toBeUndefined();
  });

  it('rejects the text of a GET, and of a request for parts', async () => {
    const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS_ONLY: 'on' });
    expect(await get(gateway.url, { query: documents.three })).toMatchObject(refused(onlyMessage));
    const { status, parts } = await postForParts(gateway.url, documents.deferred);
    expect(upstream.requests).toEqual([]);
    expect({ status, ...parts[0] }).toMatchObject(refused(onlyMessage));
  });
});

it('responds PersistedQueryNotSupported without trusted documents, and executes a text beside a hash', async () => {
  const { upstream, gateway } = await startBoth();
  await expectFallback(gateway.url, 'PersistedQueryNotSupported', 'PERSISTED_QUERY_NOT_SUPPORTED');
  expect(upstream.requests).toEqual([]);
  const response = await post(gateway.url, { query: documents.three, ...persisted('x') });
  expect(response).toMatchObject({ status: 200, data: { site: { id: 'SITE-3' } } });
  expect(await post(gateway.url, persisted('x'), { key: null })).toMatchObject({ status: 403 });
  expect(upstream.paths()).toEqual(['/v1/site/SITE-3']);
});

it('names the setting where a documentId is sent without trusted documents', async () => {
  const gateway = await startGateway('http://127.0.0.1:9');
  const message =
    'No trusted documents are configured: send the document as the "query", or set TRUSTED_DOCUMENTS on the gateway.';
  const requests = [
    { documentId: 'three' },
    { documentId: 'three', query: '' },
    { ...persisted('x'), documentId: 'x' },
  ];
  for (const params of requests) expect(await post(gateway.url, params)).toMatchObject(refused(message));
  expect(await get(gateway.url, { documentId: 'three' })).toMatchObject(refused(message));
  expect(await post(gateway.url, { documentId: 'three' }, { key: null })).toMatchObject({ status: 403 });
});
