import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { type CopiedRequest, curlFrom, linkFrom, moduleFrom } from '../../graphiql/copy/request.ts';
import { makeFolder } from '../support/manifest.ts';
import { sendJson, startUpstream } from '../support/upstream.ts';

const execute = promisify(execFile);
const key = 'a key\'s "canary" $HOME `id` \\';
const env = { PATH: process.env.PATH ?? '', PORTICO_API_KEY: key };

/** Runs a text as a person would, in a new folder. */
const runs = {
  curl: async (request: CopiedRequest) =>
    (await execute('sh', ['-c', `${curlFrom(request)} -s`], { env })).stdout,
  node: async (request: CopiedRequest) => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'operation.mjs'), moduleFrom(request));
    return (await execute(process.execPath, ['operation.mjs'], { cwd: folder, env })).stdout;
  },
};

const awkward = [
  `\${PATH}`,
  "it's \"quoted\" $HOME $(id) `id` \\ \\n !! %s <a> & | ; # é ☃ 😀 '\\'' '''",
  'two\nlines\\\nand a tab\t',
].join('\n');

it.each(['curl', 'node'] as const)(
  'sends any text unchanged, with the key of the environment: %s',
  async (name) => {
    const bodies: unknown[] = [];
    const { url, requests } = await startUpstream(async (req, res) => {
      bodies.push(JSON.parse(await text(req)));
      sendJson(res, { data: { name: awkward } });
    });
    const params = { query: awkward, variables: { [awkward]: [awkward] }, operationName: 'Site' };
    const printed = await runs[name]({ url: `${url}/it's/graphql`, ...params, isLive: false });
    expect(bodies).toEqual([params]);
    expect(requests).toMatchObject([
      { path: "/it's/graphql", apiKey: key, headers: { 'content-type': 'application/json' } },
    ]);
    expect(JSON.parse(printed)).toEqual({ data: { name: awkward } });
  },
);

it.each(['curl', 'node'] as const)('prints the events of a live query: %s', async (name) => {
  const { url, requests } = await startUpstream((_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).end('event: next\ndata: {}\n\n');
  });
  const printed = await runs[name]({ url, query: 'subscription { live { a } }', isLive: true });
  expect(printed).toBe('event: next\ndata: {}\n\n');
  expect(requests[0]?.headers.accept).toBe('text/event-stream');
});

it('links to an operation and its variables, unless the link would be too long', () => {
  const base = 'http://127.0.0.1/api/graphql';
  const url = new URL(linkFrom(base, '{ a(b: "c&d") }', '{"e": 1}'));
  const params = { query: '{ a(b: "c&d") }', variables: '{"e": 1}' };
  expect([url.pathname, Object.fromEntries(url.searchParams)]).toEqual(['/api/graphql', params]);
  expect(linkFrom(base, '{ a }', ' ')).not.toContain('variables');
  expect(() => linkFrom(base, 'x'.repeat(8000), '')).toThrow('too long for a link');
});
