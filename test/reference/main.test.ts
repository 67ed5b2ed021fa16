import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parseCommand } from '../../reference/arguments.ts';
import { referenceSettings } from '../../reference/config.ts';
import { demoKeys } from '../../reference/data/demo-ids.ts';
import { startProcess } from '../support/process.ts';
import { freshDatabasePath } from './support/database.ts';

it('prints commands that work, and exits with 0 on SIGTERM', async () => {
  const program = await startProcess('reference/main.ts', { REFERENCE_PORT: '0' });
  const [, keys = '', curl = ''] = await program.printed(
    /^reference ready at http:\/\/127\.0\.0\.1:\d+\n(.+)\n(curl .+)\n/,
  );
  expect(keys).toContain(demoKeys.acme);
  expect(keys).toContain(demoKeys.globex);
  const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} --silent`]);
  expect(JSON.parse(stdout)).toMatchObject({
    id: 'SITE-1001',
    clients: { length: 3 },
    projects: { length: 3 },
  });
  program.kill('SIGTERM');
  expect(await program.exit()).toMatchObject({ code: 0 });
});

it('prints no key in production', async () => {
  const env = { REFERENCE_PORT: '0', NODE_ENV: 'production', REFERENCE_DATABASE_URL: ':memory:' };
  const program = await startProcess('reference/main.ts', env);
  await program.printed(/\n/);
  program.kill('SIGINT');
  const stdout = expect.stringMatching(/^reference ready at [^\n]+\n$/);
  expect(await program.exit()).toEqual({ code: 0, stdout, stderr: '' });
});

it('exits with 1 and prints every fault of its configuration', async () => {
  const env = { REFERENCE_PORT: 'x', REFERENCE_DATABASE_URL: 'y' };
  expect(await (await startProcess('reference/main.ts', env)).exit()).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'REFERENCE_PORT must be a whole number from 0 to 65535\nREFERENCE_DATABASE_URL must be file:…, postgres://… or :memory:\n',
  });
});

it('lists its commands and settings for --help, even with an invalid configuration', async () => {
  const path = await freshDatabasePath();
  const env = { REFERENCE_DATABASE_URL: `file:${path}`, REFERENCE_RATE_LIMIT: 'x' };
  const program = await startProcess('reference/main.ts', env, ['--help']);
  const { code, stdout: output, stderr } = await program.exit();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(output).toMatch(/^usage: reference .*import FILE \[--replace\].*--help/s);
  expect(output).toContain('\n  REFERENCE_RATE_LIMIT=6000/60s\n      Requests that');
  expect(output).toContain('\n  REFERENCE_PUBLIC_URL\n      Base URL');
  for (const key of Object.values(demoKeys)) expect(output).toMatch(new RegExp(`^  ${key}  \\w`, 'm'));
  for (const [name, { description = '?' }] of Object.entries(referenceSettings.shape)) {
    expect(output).toMatch(new RegExp(`^  ${name}(=.*)?$`, 'm'));
    expect(output).toContain(description);
  }
  await expect(access(path)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('takes arguments in any order, with -h for --help, and nothing else', () => {
  const replacing = { name: 'import', path: 'a', replace: true };
  expect(parseCommand(['--replace', 'import', 'a'])).toEqual(replacing);
  expect(parseCommand(['import', '-h'])).toEqual({ name: 'help' });
  for (const text of [
    ...['import a b', 'export', '--replace', 'serve a', 'import a --x', '--scenario fast', 'reset a'],
    ...['generate --sites 1', 'generate --sites 1000001 --conversations 1'],
    'generate --sites 1 --conversations 1 --seed x',
  ])
    expect(parseCommand(text.split(' ')), text).toBe(null);
});
