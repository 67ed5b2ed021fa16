import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UpstreamClient } from '../../src/rest/client.ts';
import { codes, postQuery, startBoth, startGateway } from '../support/gateway.ts';
import { incrementalFormats, postForParts } from '../support/incremental.ts';
import { mergeParts } from '../support/merge-parts.ts';
import { startPipeline } from '../support/pipeline.ts';
import { sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

it.each<[string, object]>([
  ['query ($id: ID!) { site(id: $id) { id } }', {}],
  ['query ($id: ID!) { site(id: $id) { id } }', { id: null }],
  ['query ($ids: [ID!]!) { sites(ids: $ids) { id } }', { ids: ['SITE-1', null] }],
])('rejects invalid variables of %s with BAD_USER_INPUT, by their name: %j', async (query, variables) => {
  const { upstream, gateway } = await startBoth();
  const response = await postQuery(gateway.url, query, { variables: { ...variables } });
  expect(upstream.requests).toEqual([]);
  expect(response.status).toBeLessThan(500);
  expect(codes(response)).toEqual(['BAD_USER_INPUT']);
  expect(response.errors?.[0]?.message).toContain(`Variable "$${Object.keys(variables)[0] ?? 'id'}"`);
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
  };
  return startPipeline(client);
}

describe('with NODE_ENV=development, which the server knows too,', () => {
  beforeEach(() => void vi.stubEnv('NODE_ENV', 'development'));
  afterEach(() => vi.unstubAllEnvs());

  it('sends only the code of an internal error, and reports the error to the operator', async () => {
    const { url, faults } = await startFaulty();
    const response = await postQuery(url, '{ a: site(id: "SITE-1") { id } b: site(id: "SITE-2") { id } }');
    expect(response).toMatchObject({ status: 200, data: { a: null, b: { id: 'SITE-2' } } });
    expect(response.errors).toEqual([{ ...masked, path: ['a'], locations: [{ line: 1, column: 3 }] }]);
    expect(faults).toEqual([expect.objectContaining({ message: canary })]);
  });

  it.each(incrementalFormats)('sends only the code in the parts of %s', async (accept) => {
    const { url, faults } = await startFaulty();
    const query = '{ site(id: "SITE-2") { id ... @defer { clients { id } projects { id } } } }';
    const { status, parts } = await postForParts(url, query, { accept });
    expect(status).toBe(200);
    expect(parts[0]).toMatchObject({ data: { site: { id: 'SITE-2' } }, hasNext: true });
    const list = '{ sites(ids: ["SITE-2", "SITE-1"]) @stream(initialCount: 1) { id } }';
    const { parts: streamed } = await postForParts(url, list, { accept });
    expect(streamed[0]).toMatchObject({ data: { sites: [{ id: 'SITE-2' }] }, hasNext: true });
    const errors = [parts, streamed].flatMap((one) => mergeParts(one).errors);
    const paths = [
      ['site', 'clients'],
      ['site', 'projects'],
      ['sites', 1],
    ];
    expect(errors.sort((one, two) => (`${one.path}` < `${two.path}` ? -1 : 1))).toEqual(
      paths.map((path) => ({ ...masked, path, locations: expect.any(Array) })),
    );
    expect(JSON.stringify([parts, streamed])).not.toContain(canary);
    expect(faults).toHaveLength(3);
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

it('suggests no name of the schema where introspection is off', async () => {
  const gateway = await startGateway('http://127.0.0.1:9', { INTROSPECTION: 'off' });
  const query = '{ sit(idd: "SITE-1") { id } helth { reachabl } site(id: "1", ix: 1) { idd } }';
  const { errors } = await postQuery(gateway.url, query);
  expect(JSON.stringify(errors)).toContain('GRAPHQL_VALIDATION_FAILED');
  expect(JSON.stringify(errors)).not.toContain('Did you mean');
});
