import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseCommand } from '../../reference/arguments.ts';
import { referenceSettings } from '../../reference/config.ts';
import { demoKeys } from '../../reference/data/demo-ids.ts';
import { freshDatabasePath } from './support/database.ts';
import { linesOf, outcomeOf, run } from './support/process.ts';

describe('the process', () => {
  it('prints commands that work, and exits with 0 on SIGTERM', async () => {
    const database = `file:${await freshDatabasePath()}`;
    const child = run({ REFERENCE_PORT: '0', REFERENCE_DATABASE_URL: database });
    const [ready = '', keys = '', curl = ''] = await linesOf(child, 3);
    expect(ready).toMatch(/^reference ready at http:\/\/127\.0\.0\.1:\d+$/);
    expect(keys).toContain(demoKeys.acme);
    expect(keys).toContain(demoKeys.globex);
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} --silent`]);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'SITE-1001',
      clients: { length: 3 },
      projects: { length: 3 },
    });
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  it('prints no key in production', async () => {
    const child = run({ REFERENCE_PORT: '0', NODE_ENV: 'production', REFERENCE_DATABASE_URL: ':memory:' });
    let printed = '';
    child.stdout?.on('data', (chunk) => {
      printed += chunk;
      child.kill('SIGINT');
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(printed).toMatch(/^reference ready at [^\n]+\n$/);
  });

  it('exits with 1 and prints every fault of its configuration', async () => {
    const { code, errors } = await outcomeOf(run({ REFERENCE_PORT: 'x', REFERENCE_DATABASE_URL: 'y' }));
    expect(code).toBe(1);
    expect(errors).toBe(
      'REFERENCE_PORT must be a whole number from 0 to 65535\nREFERENCE_DATABASE_URL must be file:…, postgres://… or :memory:\n',
    );
  });

  it('lists its commands and settings for --help, even with an invalid configuration', async () => {
    const path = await freshDatabasePath();
    const { code, output, errors } = await outcomeOf(
      run({ REFERENCE_DATABASE_URL: `file:${path}`, REFERENCE_RATE_LIMIT: 'x' }, '--help'),
    );
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
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
});

describe('the arguments', () => {
  it('are taken in any order, with -h for --help', () => {
    const replacing = { name: 'import', path: 'a', replace: true };
    expect(parseCommand(['--replace', 'import', 'a'])).toEqual(replacing);
    expect(parseCommand(['import', '-h'])).toEqual({ name: 'help' });
  });

  it('are rejected for anything else', () => {
    const mistakes = [
      'import a b',
      'export',
      '--replace',
      'serve a',
      'import a --x',
      '--scenario fast',
      'reset a',
      'generate --sites 1',
      'generate --sites 1000001 --conversations 1',
      'generate --sites 1 --conversations 1 --seed x',
    ];
    for (const text of mistakes) expect(parseCommand(text.split(' ')), text).toBe(null);
  });
});
