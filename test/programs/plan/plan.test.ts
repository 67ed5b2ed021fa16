import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { composition } from '../../../src/features.ts';
import { planFiles } from '../../../src/programs/plan/plan.ts';
import { runCommand } from '../../support/command.ts';
import { makeFolder, writeManifest } from '../../support/manifest.ts';
import { programPath } from '../../support/process.ts';
import { isWithinCpuTime } from '../../support/slowness.ts';
import { namesIn, noArguments, type PlanGiven, planIn, writeFiles } from './plan-in.ts';

async function writeDocument(text: string): Promise<string> {
  return join(await writeFiles({ 'operations.graphql': text }), 'operations.graphql');
}

async function planText(text: string, more: Partial<PlanGiven> = {}) {
  const file = await writeDocument(text);
  const { lines, faults } = await planFiles({ ...noArguments, files: [file], ...more }, composition);
  return { lines, faults: faults.map((fault) => fault.replace(file, 'FILE')) };
}

const dashboard = `query Dashboard($id: ID!) {
  conversationContext(id: $id) { sites { site { primaryClient { name } ... @defer { projects { name } } } } }
}`;
const several = 'query Several($ids: [ID!]!) { sites(ids: $ids) { city } health { reachable } }';

it('exits with 1 and the place of each operation that makes too many calls', async () => {
  const file = await writeDocument(`${dashboard}\n\n  ${several}`);
  const { code, stdout, stderr } = await runCommand(['plan', '--max-calls=20', file]);
  expect(code).toBe(1);
  expect(stdout).toContain('Several    51 ');
  expect(stderr.trim().split('\n')).toEqual([
    `${file}:1:1: Dashboard makes up to 50 REST calls; at most 20 are allowed. conversationContext.sites.site passes the limit: it is loaded for each element of conversationContext.sites; select it in another operation.`,
    `${file}:5:3: Several makes 51 REST calls; at most 20 are allowed. sites passes the limit: name at most 20 ids in it, or select it in another operation.`,
  ]);
});

it('takes the given values of variables, for each operation those that it declares', async () => {
  const variables = { ids: ['SITE-1', 'SITE-2', 'SITE-1'], id: 'not declared here' };
  expect(await planText(`${several} query Health { health { reachable } }`, { variables })).toEqual({
    lines: ['operation  formula  calls', 'Several    3        3', 'Health     1        1'],
    faults: [],
  });
});

it('plans a variable of any name', async () => {
  const name = '__proto__';
  const text = `query A($${name}: ID!, $ids: [ID!]!) { site(id: $${name}) { id } sites(ids: $ids) { id } }`;
  const variables = { ids: ['SITE-1'] };
  expect(await planText(text, { variables })).toEqual({
    lines: ['operation  formula  calls', 'A          2        2'],
    faults: [],
  });
});

it('counts what Boolean variables without a value may select and defer', async () => {
  const text = `query ($id: ID!, $a: Boolean!, $b: Boolean!) {
    site(id: $id) { city clients @include(if: $a) { id } ... @defer { primaryClient { id } } }
    health @skip(if: $b) { reachable }
  }`;
  expect((await planText(text)).lines).toEqual([
    expect.stringMatching(/^operation +formula {2}calls {2}assumed$/),
    expect.stringMatching(/operations\.graphql:1:1 {2}3 {8}3 {6}\$a: true or false, \$b: true or false$/),
  ]);
});

it('plans one operation, and fails where there is none', async () => {
  const text = 'query A { health { reachable } } query B { __typename }';
  expect(await planText(text, { operationName: 'B' })).toEqual({
    lines: ['operation  formula  calls', 'B          0        0'],
    faults: [],
  });
  expect(await planText(text, { operationName: 'Site2' })).toEqual({
    lines: [],
    faults: ['there is no operation Site2'],
  });
  expect(await planText(text, { operationName: 'partner-key-0000' })).toEqual({
    lines: [],
    faults: ['there is no operation to plan'],
  });
});

it('prints JSON, with the path of each call and the variable of an id without a value', async () => {
  const { lines } = await planText('query One($id: ID!) { site(id: $id) { clients { id } } }', {
    isJson: true,
  });
  const operations = [
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
  ];
  expect(JSON.parse(lines.join('\n'))).toEqual({ operations, faults: [] });
});

it('prints one JSON object with the faults, at the positions of the files', async () => {
  const documents = { a: '{ __typename }', 'b"': '# é\n{\n\twrong }', c: [] };
  const manifest = JSON.stringify(documents, null, 2).replace('é', '\\u00e9');
  const code = [
    "import { graphql } from '../../command/generated';",
    `const a = 1; export const query = graphql(\`query A($id: ID!) { site(id: $id) { \${first} ...First`,
    '    nothing } }`);',
    'const more = /* GraphQL */ `query B { a {`;',
  ].join('\n');
  const folder = await writeFiles({
    'app.tsx': code,
    'broken.ts': 'const a =\n  ; gql`{ a }`',
    'first.graphql': 'fragment First on Site {\r\n  city\r\n  wrong }',
    'manifest.json': manifest,
  });
  const files = ['app.tsx', 'broken.ts', 'first.graphql', 'manifest.json', 'none/*.graphql'];
  const { lines, faults } = await planIn(folder, files, { isJson: true });
  const json = JSON.parse(lines.join('\n').replaceAll(`${folder}/`, ''));
  const inManifest = (documentId: string, line: number, column: number) => ({
    ...{ file: 'manifest.json', documentId, line, column },
  });
  expect(json.operations).toMatchObject([{ ...inManifest('a', 1, 1), name: null }]);
  expect(json.faults).toEqual([
    { file: 'broken.ts', line: 2, column: 3, message: 'Unexpected token' },
    { ...inManifest('c', 1, 1), message: 'a document must be a text' },
    { file: 'none/*.graphql', message: 'cannot be read: ENOENT' },
    { file: 'app.tsx', line: 4, column: 42, message: 'Syntax Error: Expected Name, found <EOF>.' },
    {
      ...inManifest('b"', 3, 2),
      message: 'Cannot query field "wrong" on type "Query".',
    },
    { file: 'app.tsx', line: 3, column: 5, message: 'Cannot query field "nothing" on type "Site".' },
    { file: 'first.graphql', line: 3, column: 3, message: 'Cannot query field "wrong" on type "Site".' },
  ]);
  expect(faults).toHaveLength(7);
  expect(faults).toContain('app.tsx:3:5: Cannot query field "nothing" on type "Site".');
});

it('reads all files as one set of documents, as code generators do', async () => {
  const fragment = (name: string, fields: string) => `fragment ${name} on Site { ${fields} }`;
  const folder = await writeFiles({
    'src/page.tsx':
      'const q = graphql(`query Page($id: ID!) { site(id: $id) { ...Card } }`);\nexport const a = <b>{q}</b>;',
    'src/card.js': `import gql from 'graphql-tag';\nexport default gql\`${fragment('Card', '...Projects ...Clients')} \${projects}\`;`,
    'src/deep/clients.mts': `export const text: string = /* GraphQL */ \`${fragment('Clients', 'clients { id }')}\`;`,
    'src/projects.gql': fragment('Projects', 'projects { id }'),
    'src/unused.graphql': fragment('Unused', 'city'),
    'src/schema.graphql': 'type Query { a: Int }',
    'src/empty.ts': `export const one = gql\`\${Card}\`;`,
    'src/package.json': '{ "name": 1 }',
    'src/generated/copy.ts': 'const q = gql`query Page { __typename }`;',
    'src/node_modules/other/index.js': 'const q = gql`query Other { __typename }`;',
  });
  const path = '/v1/site/{$id}?include=clients,projects';
  for (const files of [['src'], ['src/**/*'], ['src/*.{tsx,js,gql}', 'src/deep', 'src/page.tsx']]) {
    const { lines, faults } = await planIn(folder, [...files, '!src/generated'], { isJson: true });
    expect(faults).toEqual([]);
    expect(JSON.parse(lines.join('\n')).operations).toMatchObject([{ name: 'Page', calls: [{ path }] }]);
  }
  expect((await planIn(folder, ['src'])).faults).toEqual([
    'src/generated/copy.ts:1:21: There can be only one operation named "Page".',
    'src/page.tsx:1:26: There can be only one operation named "Page".',
  ]);
});

it('limits what is sent, the operation with its fragments, and no file', async () => {
  const cities = (count: number) => 'city '.repeat(count);
  const many = Array.from({ length: 90 }, (_, n) => `query Q${n} { site(id: "SITE-1") { ...F } }`);
  const folder = await writeFiles({
    'many.graphql': `${many.join('\n')} fragment F on Site { ${cities(700)} }`,
    'more.graphql': `query More { site(id: "SITE-1") { ...F ${cities(400)} } }`,
  });
  const { lines, faults } = await planIn(folder, ['many.graphql', 'more.graphql']);
  expect(namesIn(lines)).toHaveLength(90);
  expect(faults).toEqual([expect.stringMatching(/^more.graphql:1:1: .*1000 tokens/)]);
});

it('plans live queries as polls in a minute, and only where they are on', async () => {
  const dashboard = 'examples/dashboard/src/generated/persisted-documents.json';
  const args = ['plan', join(import.meta.dirname, '../../..', dashboard)];
  const { code, stdout, stderr } = await runCommand(args, { env: { LIVE_INTERVAL_S: '10' } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const rows = stdout.trimEnd().split('\n');
  expect(rows.map((line) => line.split(/ {2,}/))).toEqual([
    ['operation', 'formula', 'calls', 'assumed'],
    ['ConversationPage', '1 + sites', 'at most 50'],
    ['ConversationPageLive', '1 + sites', 'at most 60 a minute'],
    ['SitePage', '2', '2'],
    ['SitePageLive', '1', '6 a minute'],
    ['SitesPage', '50', '50', '$ids: 50 ids'],
    ['SitesPageLive', '50', '60 a minute', '$ids: 50 ids'],
  ]);
  const off = await runCommand(args, { env: { LIVE: 'off' } });
  expect(off.code).toBe(1);
  expect(off.stderr).toContain('There is no subscription here: live queries need LIVE=on.');
});

it.each<[string, string, string, Record<string, unknown>?]>([
  [
    'a variable that does not fit',
    'query A($ids: [ID!]!) { sites(ids: $ids) { id } }',
    'FILE:1:9: Variable "$ids" got invalid value {}; ID cannot represent value: {}',
    { ids: {} },
  ],
  [
    'two fragments of a name',
    '{ site(id: "SITE-1") { ...F } }\nfragment F on Site { id }\nfragment F on Site { city }',
    'FILE:3:10: There can be only one fragment named "F".',
  ],
  [
    'more resources than the gateway permits',
    '\nquery Q($ids: [ID!]!) { a: sites(ids: $ids) { id } b: sites(ids: $ids) { id } c: sites(ids: $ids) { id } }',
    'FILE:2:1: Q names 102 sites and conversations, duplicates included; at most 100 are allowed. c passes the limit: name at most 32 ids in it, or select it in another operation.',
    { ids: Array.from({ length: 34 }, () => 'SITE-1') },
  ],
  [
    'a list of too many ids',
    `{ sites(ids: [${Array.from({ length: 51 }, (_, n) => `"SITE-${n}"`)}]) { id } }`,
    'FILE:1:1: A list may hold at most 50 ids, not 51.',
  ],
])('reports %s with its place', async (_, text, fault, variables = {}) => {
  const { faults } = await planText(text, { variables });
  expect(faults).toContain(fault);
});

it('reports the faults of a manifest and of what cannot be read, and plans the rest', async () => {
  const { path } = await writeManifest({
    bad: '{\n nothing }',
    unused: 'fragment F on Site { id }',
    good: 'query Good { health { reachable } }',
  });
  const missing = join(await makeFolder(), 'queries2');
  const files = [path, missing, 'partner-key-0000', 'partner/key-0000', 'no/folder', 'a.ts'];
  const { lines, faults } = await planFiles({ ...noArguments, files }, composition);
  expect(namesIn(lines)).toEqual(['Good']);
  expect(faults).toEqual([
    `${missing}: cannot be read: ENOENT`,
    'FILE 3 cannot be read: ENOENT',
    'FILE 4 cannot be read: ENOENT',
    'no/folder: cannot be read: ENOENT',
    'a.ts: cannot be read: ENOENT',
    `${path}:2:2 "bad": Cannot query field "nothing" on type "Query".`,
    expect.stringMatching(/"unused": Fragment "F" is never used\.$/),
  ]);
});

it('prints names and texts of files without escape sequences', async () => {
  const name = 'a\u001b[31m\n::error::b\u009b\u202e.graphql';
  const folder = await writeFiles({ [name]: '{ "\\u001b[31m\u2028" }', [`good${name}`]: '{ __typename }' });
  const files = [join(folder, name), join(folder, `good${name}`)];
  const args = [programPath('main.ts'), 'plan', ...files];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([stdout, stderr].join('').replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  expect(stderr).toBe(
    `${folder}/a\\u001b[31m\\u000a::error::b\\u009b\\u202e.graphql:1:3: Syntax Error: Expected Name, found String "\\u001b[31m\\u2028".\n`,
  );
  const { lines: json } = await planFiles({ ...noArguments, files, isJson: true }, composition);
  expect(json.join('')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  expect(JSON.parse(json.join('\n'))).toMatchObject({
    operations: [{ file: join(folder, `good${name}`) }],
    faults: [{ file: join(folder, name) }],
  });
});

it('finds the places of a thousand operations in a time that grows with the text', async () => {
  const texts = Array.from({ length: 1000 }, (_, n) => `query Q${n} {${'\n'.repeat(300)} wrong }`);
  const folder = await writeFiles({ 'many.graphql': texts.join('\n') });
  const before = process.cpuUsage();
  const { lines } = await planIn(folder, ['many.graphql'], { isJson: true });
  const { user } = process.cpuUsage(before);
  const { faults } = JSON.parse(lines.join('\n'));
  expect(faults).toHaveLength(1000);
  expect(faults.at(-1)).toMatchObject({ line: 301_000, column: 2 });
  expect(isWithinCpuTime(user / 1000, 4000)).toBe(true);
});
