import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { postQuery } from '../support/gateway.ts';
import { makeFolder } from '../support/manifest.ts';
import { programPath, startProcess } from '../support/process.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const page = await readFile(join(root, 'docs/explain.md'), 'utf8');

/** The code of the first block of this kind after `heading`. */
function blockOf(kind: string, heading = '# Explain'): string {
  const section = page.slice(page.indexOf(heading));
  const [, code] = new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, 'ms').exec(section) ?? [];
  if (code === undefined) throw new Error(`docs/explain.md has no block ${kind}`);
  return code;
}

/** With durations masked: no two are equal. */
function masked(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (name, value) => (/Ms$|^resetSeconds$/.test(name) ? 0 : value));
}

async function startGateway() {
  const main = await startProcess('main.ts', { PORT: '0' });
  const [, url = '', origin = ''] = await main.printed(/ready at ((http:\/\/127\.0\.0\.1:\d+)\/graphql)\n/);
  const [, key = ''] = await main.printed(/demo key: (\S+)\n/);
  return { url, origin, key };
}

it.each(['report', 'plan'])('shows the %s of the operation before it', async (word) => {
  const { url, key } = await startGateway();
  const [, query = ''] = new RegExp(`\`(\\{ [^\`]+ \\})\`\\s+with \`x-explain: ${word}\``).exec(page) ?? [];
  const { extensions } = await postQuery(url, query, { key, headers: { 'x-explain': word } });
  expect(masked(extensions)).toEqual(masked(JSON.parse(blockOf(`json ${word}`))));
});

const hasJq = await run('jq', ['--version']).then(
  () => true,
  () => false,
);
if (!hasJq) console.warn('jq is not installed: the recipe of docs/explain.md is not tested');

it.skipIf(!hasJq)('prints the calls as a table with the commands for a terminal, as pasted', async () => {
  const { origin } = await startGateway();
  const { stdout } = await run('sh', ['-c', blockOf('sh').replace('http://127.0.0.1:4000', origin)]);
  const rows = (table: string) =>
    table
      .trim()
      .split('\n')
      .map((line) => line.split('\t').slice(2).join(' '))
      .sort();
  expect(rows(stdout)).toEqual(rows(blockOf('text')));
  expect(stdout).toMatch(/^start\tms\tsource\tstatus\tpath\tfields\n\d+(\.\d+)?\t\d/);
});

it('shows what passes the limit in the plan of an operation that is too expensive', async () => {
  const { url, key } = await startGateway();
  const query =
    'query ($first: [ID!]!, $second: [ID!]!) { sites(ids: $first) { id } more: sites(ids: $second) { id } }';
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => `SITE-${from + n}`);
  const variables = { first: ids(0, 30), second: ids(30, 40) };
  const { extensions } = await postQuery(url, query, { variables, key, headers: { 'x-explain': 'plan' } });
  expect(extensions).toMatchObject({ plan: { exceeded: JSON.parse(blockOf('json exceeded')) } });
});

it('prints the plans of the operations before it', async () => {
  const heading = '## Plans in a build';
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'operations.graphql'), blockOf('graphql', heading));
  const command = blockOf('sh', heading).replace('npx portico', `node ${programPath('main.ts')}`);
  const { stdout } = await run('sh', ['-c', command], { cwd });
  expect(stdout).toBe(blockOf('text', heading));
});

it('has a workflow for GitHub Actions whose command fails on an operation that is too expensive', async () => {
  const { jobs } = parse(blockOf('yaml')) as { jobs: { plan: { steps: { run?: string }[] } } };
  const { run: command = '' } = jobs.plan.steps.at(-1) ?? {};
  const cwd = await makeFolder();
  await symlink(root, join(cwd, '.portico'));
  await mkdir(join(cwd, 'operations'));
  const write = (name: string, text: string) => writeFile(join(cwd, 'operations', name), text);
  await write('one.graphql', 'query One($id: ID!) { site(id: $id) { city } }');
  expect((await run('sh', ['-c', command], { cwd })).stdout).toMatch(/^One +1 +1$/m);
  await write('many.graphql', 'query Many($ids: [ID!]!) { sites(ids: $ids) { city } }');
  const failure = {
    code: 1,
    stderr: expect.stringMatching(
      /^operations\/many\.graphql:1:1: Many makes 50 REST calls; at most 20 are allowed. sites passes the limit: name at most 20 ids in it/,
    ),
  };
  await expect(run('sh', ['-c', command], { cwd })).rejects.toMatchObject(failure);
});
