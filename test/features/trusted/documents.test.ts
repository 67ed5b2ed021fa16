import { writeFile } from 'node:fs/promises';
import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { readTrustedFile } from '../../../src/features/trusted/documents.ts';
import { type Config, operationParts } from '../../../src/features.ts';
import { operatorDocuments } from '../../../src/operation/document.ts';
import { createPipeline } from '../../../src/operation/pipeline.ts';
import { createErrorMask } from '../../../src/schema/error-mask.ts';
import { schema } from '../../../src/schema/index.ts';
import { testConfig } from '../../support/gateway.ts';
import { writeManifest } from '../../support/manifest.ts';

/** Reads a manifest with the validation of the pipeline. */
async function read(manifest: unknown, introspection: Config['introspection'] = 'key') {
  const config = testConfig();
  const mask = createErrorMask(() => {});
  const pipeline = createPipeline({
    ...config,
    schema,
    introspection,
    mask,
    depth: 2,
    tokens: 20,
    operationParts: (core) => operationParts(core, config),
  });
  const { path } = await writeManifest({});
  if (manifest instanceof Buffer || typeof manifest === 'string') await writeFile(path, manifest);
  else await writeFile(path, JSON.stringify(manifest));
  const { documents, faults } = await readTrustedFile(path, pipeline.core.validate);
  return { documents, faults: faults.map((fault) => fault.replace(/^TRUSTED_DOCUMENTS /, '')) };
}

const introspection = '{ __schema { queryType { name } } }';

const format = 'apollo-persisted-query-manifest';
const readable = `must hold an object of documents by their ids, or a manifest of the format "${format}" and version 1`;

const ofBad = (fault: string) => `has a fault in "bad": ${fault}`;

/** A manifest as Apollo's tools write it. */
const apollo = (operations: unknown, more: object = {}) =>
  JSON.stringify({ format, version: 1, operations, ...more });

it('reads documents by ids of any form, of any size, and no other document is trusted', async () => {
  const manifest = {
    'sha256:ab': '{ __typename }',
    '': 'query A { ...F } query B { ...F } fragment F on Query { __typename }',
    large: `{ ${'health { reachable } '.repeat(9)}sites(ids: []) { clients { name } } }`,
    parts: '{ sites(ids: ["SITE-1"]) @stream { id ... @defer { city } } }',
    introspection,
  };
  const { documents, faults } = await read(manifest);
  expect(faults).toEqual([]);
  expect([...documents.keys()]).toEqual(Object.keys(manifest));
  expect([...documents.values()].every(({ document }) => operatorDocuments.has(document))).toBe(true);
  expect(operatorDocuments.has(parse(introspection))).toBe(false);
});

it.each<[string, string]>([
  ["Apollo's manifest", apollo([{ id: 'one', name: 'B', type: 'query', body: '{ __typename }' }])],
  ['a manifest after a byte order mark', '\uFEFF{"one":"{ __typename }"}'],
])('reads %s', async (_, manifest) => {
  const { documents } = await read(manifest);
  expect([...documents].map(([id, { text }]) => [id, text])).toEqual([['one', '{ __typename }']]);
});

it('reads documents with the names of the properties of the other format', async () => {
  const named = { format: '{ __typename }', version: '{ __typename }', operations: '{ __typename }' };
  expect([...(await read(named)).documents.keys()]).toEqual(Object.keys(named));
});

it.each<[string, unknown, unknown]>([
  ['an empty file', '', 'is not JSON'],
  [
    'bytes that are not UTF-8',
    Buffer.from([0x7b, 0xff, 0x7d]),
    expect.stringMatching(/^cannot be read: .*encoded data/),
  ],
  ['a file that is too large', Buffer.alloc(16_777_217), 'must be a file of at most 16777216 bytes'],
  ['a list', '["{ __typename }"]', readable],
  ['an object of objects', '{"a":{"query":"{ __typename }"},"b":{"query":"{ __typename }"}}', readable],
  ['another version', apollo([], { version: 2 }), readable],
  ['operations of another form', apollo({}), readable],
  ['an id that is no text', apollo([{ id: 5, body: '' }, null]), readable],
  ['an operation without a body', apollo([{ id: 'bad' }]), ofBad('a document must be a text')],
  ['a number', { good: '{ __typename }', bad: 5 }, ofBad('a document must be a text')],
  ['a syntax error', { bad: '{ site(' }, ofBad('Syntax Error: Expected Name, found <EOF>. (1:8)')],
  [
    'an unknown field',
    { bad: '{\n  nothing\n}' },
    ofBad('Cannot query field "nothing" on type "Query". (2:3)'),
  ],
  [
    'a misplaced @stream',
    { bad: '{ site(id: "SITE-1") @stream { id } }' },
    expect.stringMatching(/Stream directive/),
  ],
  [
    'too deep a nesting',
    { bad: `${'{ a '.repeat(9_999)}${'}'.repeat(9_999)}` },
    expect.stringMatching(/call stack/),
  ],
])('reports the fault of %s', async (_, manifest, fault) => {
  expect((await read(manifest)).faults).toEqual([fault]);
});

it.each([
  ['/dev/zero', 'TRUSTED_DOCUMENTS must be a file of at most 16777216 bytes'],
  ['/no/file', "TRUSTED_DOCUMENTS cannot be read: ENOENT: no such file or directory, stat '/no/file'"],
])('reports that it does not read %s', async (path, fault) => {
  expect((await readTrustedFile(path, () => [])).faults).toEqual([fault]);
});

it('reports a document that reads the schema where it is off', async () => {
  const { faults } = await read({ a: introspection }, 'off');
  expect(faults[0]).toMatch(/^has a fault in "a": GraphQL introspection has been disabled/);
});

it('reports the first ten faults, each in one short line', async () => {
  const long = 'x'.repeat(5_000);
  const many = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`n${n}`, '{ bad }']));
  const { faults } = await read({ [long]: '{', 'line\nbreak': `{ """a\n${long}""" }`, ...many });
  expect(faults).toHaveLength(11);
  for (const fault of faults.slice(0, 10)) expect(fault).toMatch(/^has a fault in ".{10,340}$/);
  expect(faults[10]).toBe('has 2 more faults');
});
