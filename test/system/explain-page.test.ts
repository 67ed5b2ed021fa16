import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { demoKeys } from '../../reference/data/demo-ids.ts';
import { postQuery, startGateway } from '../support/gateway.ts';
import { makeFolder } from '../support/manifest.ts';
import { programPath } from '../support/process.ts';
import { startReference } from '../support/reference.ts';
import { makeRepository } from '../support/repository.ts';
import { sendJson, startUpstream } from '../support/upstream.ts';

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

/** A gateway in front of the demo. */
async function startDemo() {
  const reference = await startReference();
  const { url, origin } = await startGateway(reference.url);
  return { url, origin, key: demoKeys.acme };
}

it.each(['report', 'plan'])('shows the %s of the operation before it', async (word) => {
  const { url, key } = await startDemo();
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
  const { origin } = await startDemo();
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

it('has the calls in Server-Timing with the command for a terminal, as pasted', async () => {
  const { origin } = await startDemo();
  const heading = '## In the network panel';
  const { stdout } = await run('sh', ['-c', blockOf('sh', heading).replace('http://127.0.0.1:4000', origin)]);
  // The slower call is the first one.
  const metrics = (field: string) =>
    field
      .trim()
      .replace(/\d+\.\d/g, '0')
      .split(/: |, /)
      .sort();
  expect(metrics(stdout)).toEqual(metrics(blockOf('text timing', heading)));
});

it('shows what passes the limit in the plan of an operation that is too expensive', async () => {
  const { url, key } = await startDemo();
  const query =
    'query ($first: [ID!]!, $second: [ID!]!) { sites(ids: $first) { id } more: sites(ids: $second) { id } }';
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => `SITE-${from + n}`);
  const variables = { first: ids(0, 30), second: ids(30, 40) };
  const { extensions } = await postQuery(url, query, { variables, key, headers: { 'x-explain': 'plan' } });
  expect(extensions).toMatchObject({ plan: { exceeded: JSON.parse(blockOf('json exceeded')) } });
});

it('rejects the operation over the limit of its request, as the page shows', async () => {
  const { origin } = await startDemo();
  const { stdout } = await run('sh', ['-c', blockOf('sh limit').replace('http://127.0.0.1:4000', origin)]);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(blockOf('json limit')));
});

it('prints the plans of the operations before it', async () => {
  const heading = '## Plans in a build';
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'operations.graphql'), blockOf('graphql', heading));
  const command = blockOf('sh', heading).replace(
    'npx --no-install portico',
    `node ${programPath('main.ts')}`,
  );
  const { stdout } = await run('sh', ['-c', command], { cwd });
  expect(stdout).toBe(blockOf('text', heading));
});

it('forecasts the viewers of the file before it', async () => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'operations.graphql'), blockOf('graphql', '## Plans in a build'));
  await writeFile(join(cwd, 'viewers.txt'), blockOf('text viewers'));
  const command = blockOf('sh', '## What viewers cost').replace(
    'npx --no-install portico',
    `node ${programPath('main.ts')}`,
  );
  const { stdout } = await run('sh', ['-c', command], { cwd });
  expect(stdout).toBe(blockOf('text forecast'));
});

it('lists what a change costs, between the two commits that the page describes', async () => {
  const { folder, commit } = await makeRepository();
  const before = blockOf('graphql', '## Plans in a build');
  await commit({ 'operations.graphql': before });
  const after = before.replace('city ... @defer { projects { name } }', 'city projects { name }');
  await commit({ 'operations.graphql': `${after} query Health { health { reachable } }` });
  const command = blockOf('sh', '## What a change costs').replaceAll(
    'npx --no-install portico',
    `node ${programPath('main.ts')}`,
  );
  expect((await run('sh', ['-c', command], { cwd: folder })).stdout).toBe(blockOf('text difference'));
});

/** A pull request of two commits: `Sites` costs more in the second one. */
async function makePullRequest() {
  const { folder, git, commit } = await makeRepository();
  await commit({ 'operations/sites.graphql': 'query Sites { sites(ids: ["SITE-1"]) { city } }' });
  const ids = Array.from({ length: 7 }, (_, n) => `"SITE-${n}"`);
  await commit({ 'operations/sites.graphql': `query Sites { sites(ids: [${ids}]) { city } }` });
  await symlink(root, join(folder, '.portico'));
  return { folder, base: (await git('rev-parse', 'HEAD^')).trim(), commit };
}

/** Runs a step as a runner does. */
const runStep = (script: string, cwd: string, env: Record<string, string>) =>
  run('sh', ['-e', '-c', script], { cwd, env: { PATH: process.env.PATH ?? '', ...env } }).then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );

const excess = expect.stringMatching(
  /^operations\/sites\.graphql:1:1: Sites makes up to 6 REST calls more than in the base; at most 5 are allowed\.\n$/,
);
const row = '| dearer | Sites | 1 | 7 | +6 |';

/** The comments of a pull request at GitHub, each change of which is recorded. */
async function startComments() {
  const requests: string[] = [];
  const comments = [
    { id: 1, user: { login: 'someone' }, body: '<!-- REST calls -->\nmine' },
    { id: 2, user: { login: 'github-actions[bot]' }, body: 'of another workflow' },
  ];
  const { url } = await startUpstream(async (req, res) => {
    const { body = '' } = JSON.parse((await text(req)) || '{}') as { body?: string };
    requests.push(`${req.method} ${req.url} ${req.headers.authorization}`);
    const known = comments.find(({ id }) => req.url?.endsWith(`/comments/${id}`));
    if (known) known.body = body;
    else if (req.method === 'POST')
      comments.push({ id: comments.length + 1, user: { login: 'github-actions[bot]' }, body });
    sendJson(res, comments);
  });
  return { api: url, requests, comments };
}

it.skipIf(!hasJq)(
  'has a workflow for GitHub Actions that fails, and keeps one comment up to date',
  async () => {
    const { permissions, jobs } = parse(blockOf('yaml github')) as {
      permissions: Record<string, string>;
      jobs: { plan: { steps: { name?: string; run?: string }[] } };
    };
    expect(permissions).toEqual({ contents: 'read', 'pull-requests': 'write' });
    const [plan = '', comment = ''] = jobs.plan.steps.slice(-2).map((step) => step.run);
    const { folder, commit } = await makePullRequest();
    const { api, requests, comments } = await startComments();
    const env = {
      ...{ GITHUB_STEP_SUMMARY: join(folder, '.git/summary.md'), GITHUB_API_URL: api },
      ...{ GITHUB_REPOSITORY: 'example/app', GITHUB_TOKEN: 'a token', PULL_REQUEST: '7' },
    };

    expect(await runStep(plan, folder, env)).toMatchObject({ code: 1, stderr: excess });
    expect(await readFile(env.GITHUB_STEP_SUMMARY, 'utf8')).toContain(row);
    expect(await runStep(comment, folder, env)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(comments.at(-1)?.body).toMatch(`<!-- REST calls -->\n| change | operation |`);
    expect(comments.at(-1)?.body).toContain(row);

    await commit({ 'operations/sites.graphql': 'query Sites { sites(ids: ["SITE-1"]) { zip } }' });
    await commit({ 'operations/more.graphql': 'query More { health { reachable } }' });
    expect(await runStep(plan, folder, env)).toMatchObject({ code: 0, stderr: '' });
    expect(await runStep(comment, folder, env)).toMatchObject({ code: 0 });
    expect(comments).toHaveLength(3);
    expect(comments.at(-1)?.body).toContain('| new | More |  | 1 | +1 |');
    const url = '/repos/example/app/issues';
    expect(requests).toEqual(
      [
        ...[`GET ${url}/7/comments?per_page=100`, `POST ${url}/7/comments`],
        ...[`GET ${url}/7/comments?per_page=100`, `PATCH ${url}/comments/3`],
      ].map((line) => `${line} Bearer a token`),
    );
  },
);

it('has a job for GitLab whose last command fails on an operation that costs too much more', async () => {
  const jobs = parse(blockOf('yaml gitlab')) as { 'rest-calls': { script: string[] } };
  const { folder, base } = await makePullRequest();
  const script = jobs['rest-calls'].script.slice(-4).join('\n');
  const found = await runStep(script, folder, { CI_MERGE_REQUEST_DIFF_BASE_SHA: base });
  expect(found).toMatchObject({ code: 1, stderr: excess, stdout: expect.stringContaining('dearer  Sites') });
});
