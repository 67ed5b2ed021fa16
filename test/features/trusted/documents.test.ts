import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { documentsFromManifest, textsFromManifest } from '../../../src/features/trusted/documents.ts';
import { type Config, operationParts } from '../../../src/features.ts';
import { operatorDocuments } from '../../../src/operation/document.ts';
import { createPipeline } from '../../../src/operation/pipeline.ts';
import { createErrorMask } from '../../../src/schema/errors.ts';
import { schema } from '../../../src/schema/index.ts';
import { testConfig } from '../../support/gateway.ts';

/** Reads a manifest with the validation of the pipeline. */
function read(manifest: unknown, introspection: Config['introspection'] = 'key') {
  const config = testConfig();
  const mask = createErrorMask(() => {});
  const pipeline = createPipeline({
    ...config,
    schema,
    introspection,
    mask,
    bounds: { depth: 2, tokens: 20 },
    operationParts: (core) => operationParts(core, config),
  });
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  return documentsFromManifest(text, pipeline.core.validate);
}

const introspection = '{ __schema { queryType { name } } }';

const format = 'apollo-persisted-query-manifest';
const readable = `must hold an object of documents by their ids, or a manifest of the format "${format}" and version 1`;

/** A manifest as Apollo's tools write it. */
const apollo = (operations: unknown, more: object = {}) =>
  JSON.stringify({ format, version: 1, operations, ...more });

describe('reads', () => {
  it.each<[string, Record<string, string>]>([
    ['ids of any form', { abc: '{ __typename }', 'sha256:ab': '{ __typename }', '': '{ __typename }' }],
    [
      'several operations with fragments',
      { a: 'query A { ...F } query B { ...F } fragment F on Query { __typename }' },
    ],
    [
      'a document over the limits',
      { a: `{ ${'health { reachable } '.repeat(9)}sites(ids: []) { clients { name } } }` },
    ],
    ['@defer and @stream', { a: '{ sites(ids: ["SITE-1"]) @stream { id ... @defer { city } } }' }],
    ['introspection', { a: introspection }],
  ])('%s', async (_, manifest) => {
    const { documents, faults } = await read(manifest);
    expect(faults).toBeUndefined();
    expect([...(documents?.keys() ?? [])]).toEqual(Object.keys(manifest));
    expect([...(documents?.values() ?? [])].every(({ document }) => operatorDocuments.has(document))).toBe(
      true,
    );
    expect(operatorDocuments.has(parse(Object.values(manifest)[0] ?? ''))).toBe(false);
  });
});

it("reads Apollo's manifest as the object of its texts by their ids", async () => {
  const texts = { 'one"': '{ __typename }', format: 'query B { health { reachable } }' };
  const operations = Object.entries(texts).map(([id, body]) => ({ id, name: 'B', type: 'query', body }));
  const { documents } = await read(apollo([...operations, ...operations]));
  expect([...(documents ?? [])].map(([id, { text }]) => [id, text])).toEqual(Object.entries(texts));
  const named = { format: '{ __typename }', version: '{ __typename }', operations: '{ __typename }' };
  expect([...((await read(named)).documents?.keys() ?? [])]).toEqual(Object.keys(named));
});

describe('reports the fault of', () => {
  it.each<[string, string, string]>([
    ['an empty file', '', 'is not JSON'],
    ['a list', '["{ __typename }"]', readable],
    ['an object of objects', '{"a":{"query":"{ __typename }"},"b":{"query":"{ __typename }"}}', readable],
    ['another version', apollo([], { version: 2 }), `${readable}, and is {"format":"${format}","version":2}`],
    ['another format', apollo([], { format: 'x' }), `${readable}, and is {"format":"x","version":1}`],
    ['no format', '{"operations":{"a":{"body":"{ __typename }"}}}', `${readable}, and is {}`],
    ['operations of another form', apollo({}), `${readable}, and is {"format":"${format}","version":1}`],
    [
      'an id that is no text',
      apollo([{ id: 5, body: '' }, null]),
      'must have an id, a text, for each of its operations',
    ],
    [
      'an id of two operations',
      apollo(['{ __typename }', '{ health { reachable } }'].map((body) => ({ id: 'a', body }))),
      'must have one operation for each id: "a" has several',
    ],
    ['an operation without a body', apollo([{ id: 'a' }]), 'has a fault in "a": a document must be a text'],
  ])('%s', async (_, manifest, fault) => {
    expect(await read(manifest)).toEqual({ faults: [fault] });
  });

  it.each<[string, unknown, string | RegExp]>([
    ['a number', 5, 'a document must be a text'],
    ['an empty text', '', 'Syntax Error: Unexpected <EOF>. (1:1)'],
    ['a syntax error', '{ site(', 'Syntax Error: Expected Name, found <EOF>. (1:8)'],
    ['an unknown field', '{\n  nothing\n}', 'Cannot query field "nothing" on type "Query". (2:3)'],
    ['fragments alone', 'fragment F on Query { __typename }', 'Fragment "F" is never used. (1:1)'],
    ['a misplaced @stream', '{ site(id: "SITE-1") @stream { id } }', /Stream directive/],
    ['too deep a nesting', `${'{ a '.repeat(9_999)}${'}'.repeat(9_999)}`, /call stack/],
  ])('%s', async (_, document, fault) => {
    const { documents, faults = [] } = await read({ good: '{ __typename }', bad: document });
    expect(documents).toBeUndefined();
    const prefix = 'has a fault in "bad": ';
    expect(faults[0]?.startsWith(prefix)).toBe(true);
    const text = faults[0]?.slice(prefix.length);
    if (typeof fault === 'string') expect(text).toBe(fault);
    else expect(text).toMatch(fault);
  });

  it('a document that reads the schema where it is off', async () => {
    const { faults } = await read({ a: introspection }, 'off');
    expect(faults?.[0]).toMatch(/^has a fault in "a": GraphQL introspection has been disabled/);
  });

  it('every document, each in one short line', async () => {
    const long = 'x'.repeat(5_000);
    const { faults = [] } = await read({
      [long]: '{',
      'line\nbreak': `{ """a\n${long}""" }`,
      c: '{ d e }',
    });
    expect(faults).toHaveLength(4);
    for (const fault of faults) expect(fault).toMatch(/^.{20,350}$/);
    expect(faults[1]).toContain('found BlockString "a xxxx');
    expect(faults.map((fault) => fault.slice(0, 20))).toEqual([
      'has a fault in "xxxx',
      'has a fault in "line',
      'has a fault in "c": ',
      'has a fault in "c": ',
    ]);
  });
});

it('reads a manifest that begins with a byte order mark', () => {
  expect(textsFromManifest('\uFEFF{"one":"{ health { reachable } }"}')).toEqual([
    ['one', '{ health { reachable } }'],
  ]);
});
