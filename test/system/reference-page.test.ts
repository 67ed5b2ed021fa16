import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { run, urlOf } from '../reference/support/process.ts';
import { sendRequest, siteTarget } from '../reference/support/server.ts';
import { makeFolder } from '../support/manifest.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/reference.md'), 'utf8');
const blocksOf = (kind: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);

it('leads from an empty folder to own data with an own key, and back to the demo', async () => {
  const folder = await makeFolder();
  const env = { REFERENCE_DATABASE_URL: `file:${join(folder, 'reference.db')}`, REFERENCE_PORT: '0' };
  const [start, data = '', reset = ''] = blocksOf('sh');
  expect(start).toMatch(/^npm run reference +#/);
  const server = await urlOf(run(env));
  const demo = await sendRequest(server, siteTarget('SITE-1001'));
  const sh = async (text: string) => {
    const commands = text
      .replaceAll('homes.ndjson', join(folder, 'homes.ndjson'))
      .replaceAll('http://127.0.0.1:4001', server.url);
    // The build, which npm would check before each command, is that of this run.
    const npm = { HOME: process.env.HOME, npm_config_ignore_scripts: 'true' };
    const options = { cwd: root, env: { PATH: process.env.PATH, ...npm, ...env } };
    return (await promisify(execFile)('sh', ['-ec', commands], options)).stdout;
  };

  expect(await sh(data)).toBe(`imported 200 sites and 50 conversations\n${blocksOf('json')[0]?.trimEnd()}`);
  expect((await sendRequest(server, siteTarget('SITE-1001'))).body).not.toBe(demo.body);
  expect(await sh(reset)).toMatch(/^deleted /);
  expect((await sendRequest(await urlOf(run(env)), siteTarget('SITE-1001'))).body).toBe(demo.body);
});
