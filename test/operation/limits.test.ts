import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createDocuments, documentBounds } from '../../src/operation/document.ts';
import { apiKey, postQuery, startBoth, type TestSettings } from '../support/gateway.ts';
import { everyField } from '../support/selection.ts';
import { isWithinCpuTime, startCpuTime } from '../support/slowness.ts';
import { bareSite, sendJson, siteFromPath } from '../support/upstream.ts';
import { bodyOf, jsonHeaders, send } from '../support/wire.ts';

const start = (env: TestSettings = {}) =>
  startBoth(env, (req, res) =>
    sendJson(res, { ...bareSite(siteFromPath(req.url ?? '').id), clients: [], projects: [] }),
  );

const times = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');
const doubling = (levels: number, on: string, last: string) =>
  times(levels, (n) => `fragment F${n} on ${on} { ...F${n + 1} ...F${n + 1} }`) +
  ` fragment F${levels} on ${on} { ${last} }`;

const bombs: Record<string, string> = {
  'a thousand aliases': `{ ${times(1000, (n) => `a${n}: __typename`)} }`,
  'a thousand duplicate fields': `{ site(id: "SITE-1") { ${'id '.repeat(1000)} } }`,
  'hundreds of directives': `{ __typename ${'@skip(if: false) '.repeat(300)} }`,
  'hundreds of unknown directives': `{ __typename ${'@a '.repeat(900)} }`,
  'fragments that double': `{ site(id: "SITE-1") { ...F0 } } ${doubling(40, 'Site', 'id')}`,
  'inline fragments that double': `{ site(id: "SITE-1") { ...F0 } } ${doubling(11, 'Site', `${'... { '.repeat(240)} id ${'} '.repeat(240)}`)}`,
  'aliases that double': `{ site(id: "SITE-1") { ...F0 } } ${doubling(30, 'Site', 'a: id b: id')}`,
  'root fields that double': `{ ...F0 } ${doubling(12, 'Query', '__typename')}`,
  '3,000 levels': '{ a '.repeat(3000) + '}'.repeat(3000),
  '300 levels': '{ a '.repeat(300) + '}'.repeat(300),
  'a literal 20,000 deep': `{ site(id: ${'['.repeat(20_000)}${']'.repeat(20_000)}) { id } }`,
  'circular fragments':
    '{ site(id: "SITE-1") { ...A } } fragment A on Site { ...B } fragment B on Site { ...A id }',
  'an introspection bomb':
    '{ __schema { types { fields { type { fields { type { fields { type { name } } } } } } } } }',
  'an introspection bomb of types': `{ __type(name: "Site") { ${'fields { type { '.repeat(30)} name ${'} }'.repeat(30)} } }`,
  'an introspection bomb of aliases': `{ __schema { ${times(49, (n) => `a${n}: types { ...F }`)} } } fragment F on __Type { fields { type { ...G } } } fragment G on __Type { fields { name description } }`,
  'unknown fields': `{ ${times(400, (n) => `u${n}`)} }`,
  'unknown arguments': `{ site(id: "SITE-1", ${times(400, (n) => `a${n}: 1`)}) { id } }`,
  'conflicting fields': `{ ${times(150, (n) => `a: site(id: "${n}") { id }`)} }`,
  'conflicts in nested fragments': `{ ${times(40, (n) => `x: site(id: "1") { ...G${n} }`)} } ${times(40, (n) => `fragment G${n} on Site { x: id y: city x: zip }`)}`,
  'names of 10,000 letters': `{ ${'a'.repeat(10_000)} ${'b'.repeat(10_000)} }`,
  'a text of 30,000 letters': `{ site(id: 5.5, idd: "${'x'.repeat(30_000)}") { id } }`,
  'one text': `{ site(id: "${'x'.repeat(100_000)}") { id } }`,
  'unused variables': `query (${times(180, (n) => `$v${n}: ID`)}) { __typename }`,
  'many operations': `${times(150, (n) => `query Q${n} { __typename }`)} query Q0 { __typename }`,
  'an endless text': `{ site(id: "${'\\'.repeat(20_000)}`,
};

/** The documented limit of CPU time before a document is rejected. */
const MAX_CPU_MS = 200;
/** How often a document is sent that took longer: the CPU time is that of the process, with its compiler. */
const ATTEMPTS = 3;

const forms = [
  'application/json',
  'application/graphql-response+json',
  'multipart/mixed',
  'text/event-stream',
];
const v02 = 'multipart/mixed;incrementalSpec=v0.2';

/** Each document in one format of a whole response or of parts, by turns, and in v0.2, which expands its fragments. */
const bombsInForms = Object.entries(bombs).map(
  ([name, query], n) => [name, query, [forms[n % 4] ?? '', v02]] as const,
);

describe.each(bombsInForms)('%s', (_, query, accepted) => {
  it.each(accepted)('is rejected quickly, with a short response, where %s is accepted', async (accept) => {
    let isQuick = false;
    for (let attempt = 0; attempt < ATTEMPTS && !isQuick; attempt += 1) {
      const { upstream, gateway } = await start();
      const headers = { ...jsonHeaders, accept, 'x-api-key': apiKey };
      const cpuMs = startCpuTime();
      const response = await send(gateway.origin, { headers, body: bodyOf(query) });
      const spentMs = cpuMs();
      // CPU time, because wall-clock time depends on what else the machine does.
      isQuick = isWithinCpuTime(spentMs, MAX_CPU_MS);
      expect(upstream.requests).toEqual([]);
      expect(response.body.match(/"message":/g)?.length).toBeGreaterThan(0);
      expect(response.body.match(/"message":/g)?.length).toBeLessThanOrEqual(10);
      expect(response.body).not.toContain('"data"');
      expect(response.body.length).toBeLessThan(16_384);
      // Older clients of `application/json` read no body but that of a 200.
      expect(accept.includes('graphql') ? [400, 422] : [200, 400]).toContain(response.status);
      expect(gateway.lines).toEqual([]);
    }
    expect(isQuick).toBe(true);
  });

  it('is rejected in a URL', async () => {
    const { upstream, gateway } = await start();
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    const response = await send(gateway.origin, { method: 'GET', path, headers: { 'x-api-key': apiKey } });
    expect(upstream.requests).toEqual([]);
    expect([200, 400, 414, 431]).toContain(response.status);
    expect(response.body).not.toContain('"data"');
  });
});

const nested = (levels: number) => '{ a '.repeat(levels) + '}'.repeat(levels);
const ofSite = (selection: string) => `{ site(id: "SITE-1") { ${selection} } }`;
const ofType = (selection: string) => `{ __type(name: "Site") { ${selection} } }`;
const typeNamed = (aliases: number) => ofType(times(aliases, (n) => `a${n}: name`));

it.each<[TestSettings, string, string, string]>([
  [{ characters: 20 }, 'more than 20 characters', '{ __typename       }', '{ __typename        }'],
  [{ tokens: 20 }, 'more than 20 tokens', `{ ${'__typename '.repeat(18)}}`, `{ ${'__typename '.repeat(19)}}`],
  [{ depth: 20 }, 'more than 20 levels of fields', nested(20), nested(21)],
  [{}, 'more than 2 aliases in introspection', typeNamed(2), typeNamed(3)],
  [{ selections: 20 }, 'more than 20 selections', ofSite('id '.repeat(19)), ofSite('id '.repeat(20))],
  [
    { selections: 20 },
    'more than 20 selections',
    `${ofSite(`${'...F '.repeat(6)} id`)} fragment F on Site { ... { id } }`,
    `${ofSite(`${'...F '.repeat(6)} ... { id }`)} fragment F on Site { ... { id } }`,
  ],
])('applies %j', async (limit, excess, within, beyond) => {
  const { gateway } = await start({ ...limit, errors: 1 });
  const message = `The document is too complex: it has ${excess}.`;
  expect((await postQuery(gateway.url, within)).errors?.map((error) => error.message) ?? []).not.toContain(
    message,
  );
  expect(await postQuery(gateway.url, beyond)).toMatchObject({
    status: 400,
    errors: [{ message, extensions: { code: 'OPERATION_TOO_COMPLEX' } }],
  });
});

it('lists at most so many errors', async () => {
  const { gateway } = await start({ errors: 3 });
  const unknown = await postQuery(gateway.url, '{ a b c d e }');
  expect(unknown.errors).toHaveLength(3);
  const variables = { ids: [null, null, null, null, null] };
  const misfit = await postQuery(gateway.url, 'query ($ids: [ID!]!) { sites(ids: $ids) { id } }', {
    variables,
  });
  expect(misfit.errors).toHaveLength(3);
});

it.each<[string, string, unknown]>([
  ['lists', '{ a: sites(ids: $ids) { id } b: sites(ids: $ids) { id } }', Array(40_000).fill([])],
  [
    'nulls',
    '{ a: sites(ids: $ids) { id } b: conversationContexts(ids: $ids) { messages { id } } }',
    Array(25_000).fill(null),
  ],
  ['objects', '{ conversationContexts(ids: $ids) { messages { id } } }', Array(15_000).fill({ a: 1 })],
  ['control characters', '{ a: sites(ids: $ids) { id } }', Array(20).fill({ ['\u0001'.repeat(390)]: 1 })],
  ['lone surrogates', '{ a: sites(ids: $ids) { id } }', Array(20).fill({ ['\ud800'.repeat(390)]: 1 })],
  ['a deep list', '{ a: sites(ids: $ids) { id } b: sites(ids: $ids) { id } }', nest(2_000)],
])('rejects invalid variables quickly, with a short response: %s', async (_, selection, ids) => {
  const { upstream, gateway } = await start();
  for (const explain of [{}, { 'x-explain': 'plan' }]) {
    const headers = { ...jsonHeaders, 'x-api-key': apiKey, ...explain };
    const cpuMs = startCpuTime();
    const body = bodyOf(
      `query ($ids: [ID!]!) ${selection.replaceAll('messages { id }', 'messages { text }')}`,
      { variables: { ids } },
    );
    expect(body.length).toBeLessThan(131_072);
    const response = await send(gateway.origin, { headers, body });
    const spentMs = cpuMs();
    expect(upstream.requests).toEqual([]);
    expect(response.status).toBe(400);
    expect(response.body.match(/"message":/g)?.length).toBeLessThanOrEqual(10);
    expect(response.body.length).toBeLessThan(16_384);
    expect(isWithinCpuTime(spentMs, MAX_CPU_MS)).toBe(true);
  }
});

function nest(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}

it('cuts long values of a request in messages', async () => {
  const { gateway } = await start();
  const variables = { id: [{ canary: `${'x'.repeat(50_000)}canary` }] };
  const { errors } = await postQuery(gateway.url, 'query ($id: ID!) { site(id: $id) { id } }', { variables });
  expect(errors).toHaveLength(1);
  expect(errors?.[0]?.message.length).toBeLessThan(500);
});

it('accepts introspection, every field of a site, and fifty sites', async () => {
  const { upstream, gateway } = await start();
  const introspection = await postQuery(gateway.url, getIntrospectionQuery({ inputValueDeprecation: true }));
  expect(introspection).toMatchObject({ status: 200, data: { __schema: {} } });
  const everything = await postQuery(gateway.url, `{ site(id: "SITE-1") ${everyField('Site')} }`);
  expect(everything).toMatchObject({ status: 200, data: { site: { id: 'SITE-1' } } });
  const fifty = await postQuery(
    gateway.url,
    `{ ${times(50, (n) => `s${n}: site(id: "SITE-${n}") { ...F }`)} } fragment F on Site { id city clients { name } }`,
  );
  expect(fifty.errors).toBeUndefined();
  expect(upstream.requests).toHaveLength(51);
});

it('limits the memory of parsed documents', () => {
  const { parseDocument, gauges } = createDocuments({
    maxBytes: 1_000_000,
    limits: { ...documentBounds, tokens: 10_000, depth: 10, describing: new Set() },
    sources: [],
    validate: () => [],
  });
  const keep = (n: number) => {
    const text = `{ q${n}: __typename }${'#\n'.repeat(n)}`;
    parseDocument(text);
    return gauges[1]?.read();
  };
  for (let n = 0; n < 5000; n += 1) keep(n);
  // Each of its tokens counts, comments among them.
  const bytes = keep(100);
  expect(bytes).toBeGreaterThan(100 * 512);
  expect(bytes).toBeLessThanOrEqual(1_000_000);
  expect(keep(4999), 'a document over the limit is not kept').toBe(bytes);
});
