import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type PlanArguments, planFiles } from '../../src/command/plan.ts';
import { makeFolder, writeManifest } from '../support/manifest.ts';
import { startProcess } from '../support/process.ts';

const given = { variables: {}, operationName: undefined, maxCalls: undefined, isJson: false };

async function writeDocument(text: string): Promise<string> {
  const path = join(await makeFolder(), 'operations.graphql');
  await writeFile(path, text);
  return path;
}

async function planText(text: string, more: Partial<PlanArguments> = {}) {
  const file = await writeDocument(text);
  const { lines, faults } = await planFiles({ ...given, files: [file], ...more });
  return { lines, faults: faults.map((fault) => fault.replace(file, 'FILE')) };
}

const portico = async (args: string[], env: Record<string, string> = {}) =>
  (await startProcess('main.ts', env, args)).exit();

const dashboard = `query Dashboard($id: ID!) {
  conversationContext(id: $id) { sites { site { primaryClient { name } ... @defer { projects { name } } } } }
}`;
const several = 'query Several($ids: [ID!]!) { sites(ids: $ids) { city } health { reachable } }';

it('prints a line an operation: its formula, its calls, and what it assumes', async () => {
  const file = await writeDocument(`${dashboard}\n${several}`);
  const { code, stdout, stderr } = await portico(['plan', file, '--max-calls', '51']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trimEnd().split('\n')).toEqual([
    'operation  formula        calls       assumed',
    'Dashboard  1 + 2 × sites  at most 50',
    'Several    51             51          $ids: 50 ids',
  ]);
});

it('exits with 1 and the place of each operation that makes too many calls', async () => {
  const file = await writeDocument(`${dashboard}\n\n  ${several}`);
  const { code, stdout, stderr } = await portico(['plan', '--max-calls=20', file], { MAX_IDS: '30' });
  expect(code).toBe(1);
  expect(stdout).toContain('Several    31 ');
  expect(stderr.trim().split('\n')).toEqual([
    `${file}:1:1: Dashboard makes up to 50 REST calls; at most 20 are allowed`,
    `${file}:5:3: Several makes 31 REST calls; at most 20 are allowed`,
  ]);
});

it('limits the calls by MAX_UPSTREAM_CALLS without --max-calls', async () => {
  expect(await planText(several)).toMatchObject({
    faults: ['FILE:1:1: Several makes 51 REST calls; at most 50 are allowed'],
  });
});

it('takes a limit of no calls, in the singular too', async () => {
  expect(await planText('{ health { reachable } }', { maxCalls: 0 })).toMatchObject({
    faults: ['FILE:1:1: the operation makes 1 REST call; at most 0 are allowed'],
  });
});

it('takes the given values of variables, for each operation those that it declares', async () => {
  const variables = { ids: ['SITE-1', 'SITE-2', 'SITE-1'], id: 'not declared here' };
  expect(await planText(`${several} query Health { health { reachable } }`, { variables })).toEqual({
    lines: ['operation  formula  calls', 'Several    3        3', 'Health     1        1'],
    faults: [],
  });
});

it('takes the Boolean values that cost the most, whether a field is selected or not', async () => {
  const text = `query ($id: ID!, $a: Boolean!, $b: Boolean!) {
    site(id: $id) { city clients @include(if: $a) { id } ... @defer { primaryClient { id } } }
    health @skip(if: $b) { reachable }
  }`;
  expect((await planText(text)).lines).toEqual([
    expect.stringMatching(/^operation +formula {2}calls {2}assumed$/),
    expect.stringMatching(/operations\.graphql:1:1 {2}3 {8}3 {6}\$a: false, \$b: false$/),
  ]);
});

it('plans one operation, and fails where there is none', async () => {
  const text = 'query A { health { reachable } } query B { __typename }';
  expect(await planText(text, { operationName: 'B' })).toEqual({
    lines: ['operation  formula  calls', 'B          0        0'],
    faults: [],
  });
  expect(await planText(text, { operationName: 'partner_key_0000' })).toEqual({
    lines: [],
    faults: ['there is no operation of the name that is requested'],
  });
});

it('prints JSON, with the path of each call and the variable of an id without a value', async () => {
  const { lines } = await planText('query One($id: ID!) { site(id: $id) { clients { id } } }', {
    isJson: true,
  });
  expect(JSON.parse(lines.join('\n'))).toEqual([
    {
      file: expect.stringMatching(/operations\.graphql$/),
      name: 'One',
      line: 1,
      column: 1,
      formula: '1',
      assumed: [],
      calls: [{ method: 'GET', path: '/v1/site/{$id}?include=clients', fields: ['site', 'site.clients'] }],
      cost: { known: 1, forEach: [], limit: 50 },
      atMost: 1,
      limit: 50,
    },
  ]);
});

it('plans the documents of a manifest, which are not limited in size', async () => {
  const fields = Array.from({ length: 120 }, (_, n) => `a${n}: address1`).join(' ');
  const { path } = await writeManifest({
    one: `query One { site(id: "SITE-1") { ${fields} } }`,
    two: several,
  });
  const { lines } = await planFiles({ ...given, files: [path], maxCalls: 60 });
  expect(lines.map((line) => line.split(/ +/)[0])).toEqual(['operation', 'One', 'Several']);
});

it.each<[string, string, string, Record<string, unknown>?]>([
  ['a syntax error', 'query {', 'FILE:1:8: Syntax Error: Expected Name, found <EOF>.'],
  ['an unknown field', '{\n  nothing\n}', 'FILE:2:3: Cannot query field "nothing" on type "Query".'],
  ['a mutation', 'mutation { a }', 'FILE:1:1: There is no mutation here: the API is read-only.'],
  [
    'a variable that does not fit',
    'query A($ids: [ID!]!) { sites(ids: $ids) { id } }',
    'FILE:1:9: Variable "$ids" got invalid value {}; ID cannot represent value: {}',
    { ids: {} },
  ],
  ['no operation', 'fragment F on Site { id }', 'FILE:1:1: Fragment "F" is never used.'],
  [
    'arguments that the gateway refuses',
    'query Q($id: ID!) { conversationContext(id: $id) { messages(first: 1, last: 1) { text } } }',
    'FILE:1:52: Give "first" or "last", not both.',
  ],
  [
    'more resources than the gateway permits',
    '\nquery Q($ids: [ID!]!) { a: sites(ids: $ids) { id } b: sites(ids: $ids) { id } c: sites(ids: $ids) { id } }',
    'FILE:2:1: The operation names 102 sites and conversations, duplicates included; at most 100 are allowed.',
    { ids: Array.from({ length: 34 }, () => 'SITE-1') },
  ],
  [
    'too many Boolean variables',
    `query (${[1, 2, 3, 4, 5, 6, 7].map((n) => `$b${n}: Boolean!`)}) {
      ${[1, 2, 3, 4, 5, 6, 7].map((n) => `h${n}: health @skip(if: $b${n}) { reachable }`)} }`,
    'FILE:1:1: More than 6 Boolean variables have no value.',
  ],
  [
    'a document over the limits',
    `{ ${'a: health { reachable } '.repeat(60)} }`,
    'FILE: The document is too complex: it has more than 50 root fields.',
  ],
])('reports %s with its place', async (_, text, fault, variables = {}) => {
  const { lines, faults } = await planText(text, { variables });
  expect(lines).toEqual([]);
  expect(faults).toContain(fault);
});

it('reports the faults of a manifest and of a missing file, and plans the rest', async () => {
  const { path } = await writeManifest({
    bad: '{\n nothing }',
    good: 'query Good { health { reachable } }',
    n: 1,
  });
  const missing = join(await makeFolder(), 'missing.graphql');
  const { lines, faults } = await planFiles({ ...given, files: [path, missing, 'partner-key-0000'] });
  expect(lines.at(-1)).toMatch(/^Good /);
  expect(faults).toEqual([
    `${path} "bad":2:2: Cannot query field "nothing" on type "Query".`,
    `${path} "n": a document must be a text`,
    `${missing} cannot be read: ENOENT`,
    'a file cannot be read: ENOENT',
  ]);
});

it('exits with 2 on invalid arguments', async () => {
  const { code, stdout, stderr } = await portico(['plan', '--max-calls', 'many']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.split('\n')).toContain('plan requires a file');
});
