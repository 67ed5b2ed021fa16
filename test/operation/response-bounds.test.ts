import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../../src/operation/response-bounds.ts';
import { postQuery, startBoth, type TestSettings } from '../support/gateway.ts';
import { incrementalFormats, multipart, postForParts } from '../support/incremental.ts';
import { mergeParts } from '../support/merge-parts.ts';
import { bareSite, sendJson, siteFromPath } from '../support/upstream.ts';

const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-00000000ab01';
const ids = (count: number, of = (_n: number) => 'SITE-1') => Array.from({ length: count }, (_, n) => of(n));

/** An upstream with a conversation of 100 messages, and with sites whose dates are malformed. */
const start = (env: TestSettings = {}) =>
  startBoth(env, (req, res) => {
    const path = req.url ?? '';
    if (!path.startsWith('/v1/site/')) {
      return sendJson(res, { messages: ids(100).map((_, n) => ({ author: `Agent ${n}`, text: 'Hello' })) });
    }
    const { id, include } = siteFromPath(path);
    if (id === 'SITE-404') return sendJson(res, {}, 404);
    if (id.startsWith('SITE-5')) return sendJson(res, {}, 500);
    const projects = include.includes('projects')
      ? ids(id === 'SITE-100' ? 100 : 1).map(() => ({ name: 'Heat pump', signingDate: 'soon' }))
      : undefined;
    sendJson(res, { ...bareSite(id), city: 'Bend', createdAt: 'yesterday', updatedAt: 'today', projects });
  });

const sitesOf = 'query ($ids: [ID!]!) { sites(ids: $ids) { id } again: sites(ids: $ids) { id } }';

const [, multipart02 = ''] = incrementalFormats;

/** The error, with no other extension: what the server marks it with is not for the client. */
const excess = (limit: number) => [
  expect.objectContaining({ extensions: { code: 'OPERATION_TOO_EXPENSIVE', limit } }),
];

it('counts the resources that an operation names with their duplicates, over all its fields', async () => {
  const { upstream, gateway } = await start();
  expect(await postQuery(gateway.url, sitesOf, { variables: { ids: ids(50) } })).toMatchObject({
    status: 200,
  });
  expect(upstream.requests).toHaveLength(1);
  const query = sitesOf.replace('again', 'one: site(id: "SITE-1") { id } again');
  const response = await postQuery(gateway.url, query, { variables: { ids: ids(50) } });
  expect(upstream.requests).toHaveLength(1);
  expect(response).toMatchObject({
    status: 400,
    errors: [{ extensions: { code: 'OPERATION_TOO_EXPENSIVE', resources: 101, limit: 100 } }],
  });
  expect(response).not.toHaveProperty('data');
});

// A list counts its elements, and each field of them: 100 × (1 + 2).
const query = `{ conversationContext(id: "${conversation}") { messages { author text } } }`;

describe('the values of a response', () => {
  it('are bounded, on both paths, and rejected as a whole beyond that, after one REST call', async () => {
    const enough = await start({ maxValues: 300 });
    for (let n = 0; n < 3; n += 1) expect((await postQuery(enough.gateway.url, query)).status).toBe(200);
    expect(enough.gateway.gauge('portico_fast_path_operations_total')).toBeGreaterThan(0);
    const { upstream, gateway } = await start({ maxValues: 299 });
    for (let n = 1; n <= 3; n += 1) {
      const response = await postQuery(gateway.url, query);
      expect(upstream.requests).toHaveLength(n);
      expect(response).toMatchObject({
        status: 400,
        errors: [{ extensions: { code: 'OPERATION_TOO_EXPENSIVE', limit: 299 } }],
      });
      expect(response).not.toHaveProperty('data');
    }
    expect(gateway.gauge('portico_fast_path_operations_total')).toBe(0);
  });
});

describe('the bytes of a response', () => {
  const sizeOf = async (url: string, text: string) =>
    Number((await postQuery(url, text)).headers.get('content-length'));

  it('have a largest size, and rejected beyond that', async () => {
    const bytes = await sizeOf((await start()).gateway.url, query);
    expect(bytes).toBeGreaterThan(3000);
    const { gateway } = await start({ maxResponseBytes: bytes });
    for (let n = 0; n < 3; n += 1) expect((await postQuery(gateway.url, query)).status).toBe(200);
    const { gateway: less } = await start({ maxResponseBytes: bytes - 1 });
    for (let n = 0; n < 3; n += 1) {
      expect(await postQuery(less.url, query)).toMatchObject({
        status: 400,
        errors: [{ extensions: { code: 'OPERATION_TOO_EXPENSIVE', limit: bytes - 1 } }],
      });
    }
  });
});

it.each<[string, TestSettings, string, object]>([
  ['values', { maxValues: 150 }, multipart, { incremental: [{ data: null, errors: excess(150) }] }],
  ['values', { maxValues: 150 }, multipart02, { completed: [{ id: '0', errors: excess(150) }] }],
  ['bytes', { maxResponseBytes: 2000 }, multipart, { incremental: [{ errors: excess(2000) }] }],
  ['bytes', { maxResponseBytes: 2000 }, multipart02, { completed: [{ errors: excess(2000) }] }],
])(
  'ends a response in parts whose %s are too many in a later part with an error: %j, %s',
  async (_, settings, accept, last) => {
    const { gateway } = await start(settings);
    const deferred = '{ site(id: "SITE-100") { id ... @defer { projects { name } } } }';
    const { status, parts } = await postForParts(gateway.url, deferred, { accept });
    expect(status).toBe(200);
    expect(parts[0]).toMatchObject({ data: { site: { id: 'SITE-100' } }, hasNext: true });
    expect(parts.at(-1)).toMatchObject({ ...last, hasNext: false });
    expect(JSON.stringify(parts)).not.toContain('Heat pump');
  },
);

describe('the errors of a response', () => {
  const failing = 'query ($ids: [ID!]!) { sites(ids: $ids) { id } }';

  it('are the first ones in the document; the others are counted, and their fields are null', async () => {
    const { gateway } = await start();
    const variables = { ids: ids(50, (n) => (n % 2 === 0 ? 'x' : 'SITE-1')) };
    const response = await postQuery<{ sites: unknown[] }>(gateway.url, failing, { variables });
    expect(response.status).toBe(200);
    expect(response.errors?.map(({ path }) => path)).toEqual(
      ids(10, (n) => `${2 * n}`).map((n) => ['sites', Number(n)]),
    );
    expect(response.extensions).toEqual({ omittedErrors: 15 });
    expect(response.data?.sites).toEqual(ids(50).map((_, n) => (n % 2 === 0 ? null : { id: 'SITE-1' })));
  });

  it.each([multipart, multipart02])(
    'are counted over all parts of %s, and the last one has the number',
    async (accept) => {
      const { gateway } = await start({ maxErrors: 2 });
      const query =
        '{ a: site(id: "SITE-1") { createdAt } ... @defer { b: site(id: "SITE-1") { createdAt updatedAt } } }';
      const { parts } = await postForParts(gateway.url, query, { accept });
      expect(mergeParts(parts).errors).toHaveLength(2);
      expect(parts.at(-1)).toMatchObject({ hasNext: false, extensions: { omittedErrors: 1 } });
    },
  );
});

const anyJson = fc.oneof(
  fc.jsonValue({ stringUnit: 'binary' }),
  fc.dictionary(
    fc.string({ unit: 'binary' }),
    fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
  ),
);

it('knows the bytes of a JSON text before it is written', () => {
  fc.assert(
    fc.property(anyJson, (json) => {
      const bytes = Buffer.byteLength(JSON.stringify(json));
      expect(jsonBytes(json, Number.MAX_SAFE_INTEGER)).toBe(bytes);
      expect(jsonBytes(json, bytes)).toBe(bytes);
      expect(jsonBytes(json, bytes - 1)).toBeGreaterThan(bytes - 1);
    }),
  );
});
