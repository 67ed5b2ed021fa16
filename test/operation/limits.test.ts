import { getIntrospectionQuery } from 'graphql';
import { expect, it } from 'vitest';
import { coreLimits } from '../../src/config/core.ts';
import { bytesOf, createDocuments } from '../../src/operation/document.ts';
import { apiKey, postQuery, startBoth, type TestSettings } from '../support/gateway.ts';
import { everyField } from '../support/selection.ts';
import { isWithinCpuTime, startCpuTime } from '../support/slowness.ts';
import { bodyOf, jsonHeaders, send } from '../support/wire.ts';

const times = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');
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
  const { gateway } = await startBoth({ ...limit, maxErrors: 1 });
  const message = `The document is too complex: it has ${excess}.`;
  expect((await postQuery(gateway.url, within)).errors?.map((error) => error.message) ?? []).not.toContain(
    message,
  );
  expect(await postQuery(gateway.url, beyond)).toMatchObject({
    status: 400,
    errors: [{ message, extensions: { code: 'OPERATION_TOO_COMPLEX' } }],
  });
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
  const { upstream, gateway } = await startBoth();
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

/** The documented limit of CPU time before an operation is rejected. */
const MAX_CPU_MS = 200;

function nest(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}

it('accepts introspection, every field of a site, and fifty sites', async () => {
  const { upstream, gateway } = await startBoth();
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
  const { parseDocument } = createDocuments({
    ...coreLimits,
    documentCacheBytes: 1_000_000,
    tokens: 10_000,
    sources: [],
    validate: () => [],
  });
  const parse = (n: number) => parseDocument(`{ q${n}: __typename }${'#\n'.repeat(n)}`);
  const [first] = [parse(10), parse(1000), parse(990)];
  // A document is kept from its second time on.
  const [small, large] = [parse(10), parse(1000)];
  // Each of its tokens counts, comments among them.
  expect(bytesOf(large)).toBeGreaterThan(1000 * 512);
  expect([first === small, parse(10) === small, parse(1000) === large]).toEqual([false, true, true]);
  parse(990);
  expect(parse(1000) === large).toBe(false);
});
