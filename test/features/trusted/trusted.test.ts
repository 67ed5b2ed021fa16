import { getIntrospectionQuery } from 'graphql';
import { expect, it } from 'vitest';
import { apiKey, codes, type GraphqlResponse, startBoth, type TestSettings } from '../../support/gateway.ts';
import { eventStream, multipart, postForParts } from '../../support/incremental.ts';
import { writeManifest } from '../../support/manifest.ts';
import { sendSite } from '../../support/upstream.ts';

const documents = {
  site: 'query ($id: ID!) { site(id: $id) { id } }',
  three: '{ site(id: "SITE-3") { id } }',
  two: 'query A { site(id: "SITE-1") { id } } query B { site(id: "SITE-2") { id } }',
  deferred: '{ site(id: "SITE-1") { id ... @defer { clients { name } } } }',
  ['__proto__']: '{ site(id: "SITE-4") { id } }',
};

async function start(env: TestSettings = {}) {
  const { path } = await writeManifest(documents);
  return startBoth({ TRUSTED_DOCUMENTS: path, ...env }, (req, res) =>
    sendSite(req, res, { clients: [{ name: 'Ann' }] }),
  );
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

const executed = (id: string) => ({ status: 200, data: { site: { id } } });
const rejected = (message: string, status = 400, code = 'BAD_REQUEST') => ({
  status,
  errors: [{ message, extensions: { code } }],
});
const only = rejected('Only trusted documents are executed: send a documentId, and no query.');
const unknown = rejected('No document has this id.');
const notFound = rejected('PersistedQueryNotFound', 200, 'PERSISTED_QUERY_NOT_FOUND');
const notSupported = rejected('PersistedQueryNotSupported', 200, 'PERSISTED_QUERY_NOT_SUPPORTED');
const noText = rejected('The "documentId" must be a text.');
const unconfigured = rejected(
  'No trusted documents are configured: send the document as the "query", or set TRUSTED_DOCUMENTS on the gateway.',
);
const query = '{ site(id: "SITE-1") { id } }';
const variables = { id: 'SITE-7' };
const forbidden = { status: 403, errors: [{ extensions: { code: 'FORBIDDEN' } }] };

/** With other documents beside the trusted ones, with trusted documents only, and without trusted documents. */
const requests: [params: object, beside: object, only: object, without: object][] = [
  [{ documentId: 'site', variables }, executed('SITE-7'), executed('SITE-7'), unconfigured],
  [{ documentId: 'site', query: '', variables }, executed('SITE-7'), executed('SITE-7'), unconfigured],
  [{ ...persisted('site'), variables }, executed('SITE-7'), executed('SITE-7'), notSupported],
  [{ documentId: '__proto__' }, executed('SITE-4'), executed('SITE-4'), unconfigured],
  [{ documentId: 'two', operationName: 'B' }, executed('SITE-2'), executed('SITE-2'), unconfigured],
  [{ documentId: 'two' }, { status: 400 }, { status: 400 }, unconfigured],
  [{ documentId: 'three', query }, executed('SITE-3'), only, executed('SITE-1')],
  [{ ...persisted('three'), query }, executed('SITE-3'), only, executed('SITE-1')],
  [{ documentId: 'x' }, unknown, unknown, unconfigured],
  [{ documentId: 'constructor' }, unknown, unknown, unconfigured],
  [{ documentId: 'x', query }, executed('SITE-1'), only, executed('SITE-1')],
  [{ documentId: 'x', ...persisted('site') }, unknown, unknown, unconfigured],
  [persisted('x'), notFound, unknown, notSupported],
  [{ ...persisted('x'), query: '' }, notFound, unknown, notSupported],
  [{ ...persisted('x'), query }, executed('SITE-1'), only, executed('SITE-1')],
  [{ documentId: 5 }, noText, noText, noText],
  [{ documentId: ['site'] }, noText, noText, noText],
  [{ documentId: null }, { status: 400 }, only, { status: 400 }],
  [persisted('site', 2), { status: 400 }, only, { status: 400 }],
  [persisted(5), { status: 400 }, only, { status: 400 }],
  [{ extensions: { persistedQuery: null } }, { status: 400 }, only, { status: 400 }],
  [{ query }, executed('SITE-1'), only, executed('SITE-1')],
  [{ query: '{' }, { errors: [{}] }, only, { errors: [{}] }],
  [{ query: getIntrospectionQuery() }, { status: 200 }, only, { status: 200 }],
];

it.each([
  ['beside others', 1, {}],
  ['only', 2, { TRUSTED_DOCUMENTS_ONLY: 'on' }],
  ['off', 3, { TRUSTED_DOCUMENTS: undefined }],
] as const)('executes or rejects ids and texts, with trusted documents %s', async (_, column, env) => {
  const { upstream, gateway } = await start(env);
  for (const row of requests) {
    const [params, expected] = [row[0], row[column] as { data?: { site: { id: string } } }];
    const before = upstream.requests.length;
    // The second time a document is known.
    for (let times = 0; times < 2; times += 1)
      expect({ params, ...(await post(gateway.url, params)) }).toMatchObject({ params, ...expected });
    const paths = expected.data ? Array(2).fill(`/v1/site/${expected.data.site.id}`) : [];
    expect(upstream.paths().slice(before)).toEqual(paths);
  }
});

it('rejects an unknown id with 400 in the media type of GraphQL', async () => {
  const accept = 'application/graphql-response+json';
  for (const [env, byHash, byId] of [
    [{}, notFound, unknown],
    [{ TRUSTED_DOCUMENTS: undefined }, notSupported, unconfigured],
  ] as const) {
    const { gateway } = await start(env);
    expect(await post(gateway.url, persisted('x'), { accept })).toMatchObject({ ...byHash, status: 400 });
    expect(await post(gateway.url, { documentId: 'x' }, { accept })).toMatchObject(byId);
  }
});

it.each(['on', 'off'])('reads the id of a GET, and of a request for parts, with ONLY=%s', async (setting) => {
  const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS_ONLY: setting });
  const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash: 'site' } });
  const params = { extensions, variables: JSON.stringify(variables) };
  expect(await get(gateway.url, params)).toMatchObject(executed('SITE-7'));
  for (const accept of [multipart, eventStream]) {
    const { status, parts } = await postForParts(gateway.url, { documentId: 'deferred' }, { accept });
    expect(status).toBe(200);
    expect(parts[0]).toEqual({ data: { site: { id: 'SITE-1' } }, hasNext: true });
    expect(JSON.stringify(parts.slice(1))).toContain('Ann');
    const other = await postForParts(gateway.url, { documentId: 'x' }, { accept });
    expect({ status: other.status, ...other.parts[0] }).toMatchObject(unknown);
  }
  if (setting === 'on') {
    expect(await get(gateway.url, { query })).toMatchObject(only);
    const { status, parts } = await postForParts(gateway.url, documents.deferred);
    expect({ status, ...parts[0] }).toMatchObject(only);
  }
  expect(upstream.requests).toHaveLength(5);
});

it('responds with the same 403 without a key, whatever the id, and reads the schema beside any', async () => {
  for (const TRUSTED_DOCUMENTS_ONLY of ['on', 'off'])
    for (const INTROSPECTION of ['open', 'key', 'off']) {
      const { upstream, gateway } = await start({ TRUSTED_DOCUMENTS_ONLY, INTROSPECTION });
      for (const params of [{ documentId: 'three' }, { documentId: 'x' }, persisted('three'), {}])
        expect(await post(gateway.url, params, { key: null })).toMatchObject(forbidden);
      if (TRUSTED_DOCUMENTS_ONLY === 'off' && INTROSPECTION === 'open') {
        const beside = { query: '{ __typename }', documentId: 'three' };
        expect(await post(gateway.url, beside, { key: null })).toMatchObject({
          data: { __typename: 'Query' },
        });
      }
      expect(upstream.requests).toEqual([]);
    }
});

it('applies the limits for texts to no trusted document', async () => {
  const { gateway } = await start({ tokens: 5, depth: 1, characters: 50 });
  expect(await post(gateway.url, { documentId: 'two', operationName: 'B' })).toMatchObject(
    executed('SITE-2'),
  );
  for (const text of [documents.two, documents.three])
    expect(codes(await post(gateway.url, { query: text }))).toEqual(['OPERATION_TOO_COMPLEX']);
});
