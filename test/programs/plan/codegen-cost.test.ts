import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { preset } from '@graphql-codegen/client-preset';
import { expect, expectTypeOf, it } from 'vitest';
import type { withCosts as declared } from '../../../build/codegen-cost.d.ts';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { withCosts } from '../../../src/programs/plan/codegen-cost.ts';
import { codeOf } from '../../clients/guide.ts';
import { root } from '../../support/files.ts';
import { startGateway } from '../../support/gateway.ts';
import { postForParts } from '../../support/incremental.ts';
import { makeFolder } from '../../support/manifest.ts';
import { startReference } from '../../support/reference.ts';

const program = (name: string) => join(root, 'node_modules/.bin', name);

/** Operations of each form of cost, and the values with which they are executed. */
const operations = [
  { text: 'query Fixed { health { reachable } }' },
  { text: 'query Card($id: ID!) { site(id: $id) { city ... @defer { clients { name } } } }' },
  { text: 'query List($ids: [ID!]!) { health { reachable } sites(ids: $ids) { city } }' },
  {
    text: `query Both($ids: [ID!]!, $conversation: ID!, $more: Boolean!) {
      sites(ids: $ids) { city ... @defer { projects { name } } }
      conversationContext(id: $conversation) { sites { site @include(if: $more) { clients { name } } } }
    }`,
  },
];
/** Two operations in one text, the first with a directive that clients remove. */
const live = `subscription Live($id: ID!) { live { site(id: $id) @nonreactive { city } } }
  query Beside { health { reachable } }`;

/** A project as docs/frontend.md describes it, with the installed packages, this one among them. */
async function createProject(texts: readonly string[]) {
  const folder = await makeFolder();
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['@graphql-codegen', '@graphql-typed-document-node', 'graphql', '@types'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  await symlink(root, join(folder, 'node_modules/portico'));
  for (const path of ['codegen.ts', 'codegen.costs.ts']) await write(path, codeOf(path));
  await write('package.json', '{ "type": "module" }');
  const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', types: ['node'] };
  const compilerOptions = { ...options, allowImportingTsExtensions: true, skipLibCheck: true };
  await write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['codegen.costs.ts', 'src'] }));
  await run(folder, process.execPath, join(root, 'dist/main.js'), 'print-schema', '--live').then(
    ({ stdout }) => write('schema.graphql', stdout),
  );
  const code = texts.map((text, index) => `export const document${index} = graphql(\`${text}\`);\n`);
  await write('src/documents.ts', ["import { graphql } from './generated/gql.ts';\n", ...code].join(''));
  return {
    folder,
    write,
    textOf: (path: string) => readFile(join(folder, path), 'utf8'),
    generate: (...args: string[]) =>
      run(folder, program('graphql-codegen'), '--config', 'codegen.costs.ts', ...args),
  };
}

/** The output of a program, and its exit code. */
async function run(cwd: string, file: string, ...args: string[]) {
  const { PATH = '', HOME = '' } = process.env;
  // Other settings than the defaults: what is generated is the same.
  const env = { PATH, HOME, NO_COLOR: '1', LIVE: 'off', MAX_UPSTREAM_CALLS: '1' };
  const done = promisify(execFile)(file, args, { cwd, env });
  return done.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code: Number(code), stdout: String(stdout), stderr: String(stderr) }),
  );
}

/** The comments of generated documents, by the names of their operations. */
function commentsIn(generated: string): Record<string, string> {
  const found = generated.matchAll(/^\/\*\* (.*) \*\/\nexport const (\w+)Document = /gm);
  return Object.fromEntries([...found].map(([, comment, name]) => [name, comment]));
}

it('writes on each document the REST calls that its operation makes', async () => {
  const { folder, generate, textOf, write } = await createProject([
    ...operations.map(({ text }) => text),
    live,
  ]);
  expect(await generate()).toMatchObject({ code: 0 });
  expect(await run(folder, program('tsc'))).toMatchObject({ code: 0, stdout: '' });
  const comments = commentsIn(await textOf('src/generated/graphql.ts'));
  expect(comments).toEqual({
    Fixed: '1 REST call',
    Card: '2 REST calls',
    List: '1 + $ids REST calls',
    Both: '1 + 2 × $ids + sites REST calls; $more: true or false',
    Live: '1 REST call a round of polls',
    Beside: '1 REST call',
  });
  expect(await textOf('src/generated/gql.ts')).toContain(
    `/** ${comments.Live} */\nexport function graphql(source: "subscription Live(`,
  );

  const reference = await startReference();
  const gateway = await startGateway(reference.url);
  const ids = [demoSites().main];
  const variables = { id: ids[0], ids, conversation: demoConversations.main, more: true };
  for (const { text } of operations) {
    const [, name = ''] = /query (\w+)/.exec(text) ?? [];
    const before = reference.paths.length;
    const { parts } = await postForParts(gateway.url, text, { variables, key: demoKeys.acme });
    expect(parts[0]?.errors).toBeUndefined();
    const sites = 3;
    const [formula = ''] = comments[name]?.split(' REST ') ?? [];
    const calls = formula
      .split(' + ')
      .map((term) =>
        term.split(' × ').map((factor) => ({ $ids: ids.length, sites })[factor] ?? Number(factor)),
      )
      .reduce((sum, factors) => sum + factors.reduce((product, factor) => product * factor), 0);
    expect({ name, calls }).toEqual({ name, calls: reference.paths.length - before });
  }

  // With --check stale comments fail.
  const paths = ['src/generated/graphql.ts', 'src/generated/gql.ts'];
  for (const path of paths) await write(path, (await textOf(path)).replace('2 REST calls', '1 REST call'));
  const { code, stdout, stderr } = await generate('--check');
  expect(code).toBe(1);
  for (const path of paths) expect(stdout + stderr).toContain(path);
});

it('generates nothing if an operation has no plan, and not because one may make too many REST calls', async () => {
  const many = `query Many { sites(ids: [${Array.from({ length: 51 }, (_, n) => `"SITE-${n}"`)}]) { id } }`;
  const texts = ['query Cached @cached { health { reachable } }', operations[2]?.text ?? '', many];
  const { generate, textOf } = await createProject(texts);
  const { code, stdout, stderr } = await generate();
  const output = stdout + stderr;
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringContaining('Unknown directive "@cached".'),
  });
  expect(output).toContain('A list may hold at most 50 ids, not 51.');
  expect(output).not.toContain('List makes 51 REST calls');
  await expect(textOf('src/generated/graphql.ts')).rejects.toThrow('ENOENT');
});

it('takes no other preset, and returns the type of this one', async () => {
  const other = { buildGeneratesSection: async () => [{ plugins: [{ 'schema-ast': {} }], pluginMap: {} }] };
  await expect(withCosts(other).buildGeneratesSection()).rejects.toThrow('withCosts takes the client preset');
  expectTypeOf<typeof withCosts<typeof preset>>().toExtend<typeof declared<typeof preset>>();
});
