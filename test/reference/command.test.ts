import { access, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { referenceSettings } from '../../src/reference/config.ts';
import { commandFromArguments } from '../../src/reference/transfer/command.ts';
import { freshDatabasePath } from './harness.ts';
import { fileOf, freshPath, siteLine } from './lines.ts';
import { endOf, run } from './process.ts';

// Several processes, each of which compiles what it runs.
vi.setConfig({ testTimeout: 60_000 });

const envFor = (path: string) => ({
  REFERENCE_DATABASE_URL: `file:${path}`,
  REFERENCE_ENVIRONMENT: 'production',
});

describe('the arguments', () => {
  it('name one command', () => {
    expect(commandFromArguments([])).toEqual({ name: 'serve' });
    expect(commandFromArguments(['import', 'a'])).toEqual({ name: 'import', path: 'a', skipBad: false });
    const skipping = { name: 'import', path: 'a', skipBad: true };
    expect(commandFromArguments(['import', 'a', '--skip-bad'])).toEqual(skipping);
    expect(commandFromArguments(['--skip-bad', 'import', 'a'])).toEqual(skipping);
    expect(commandFromArguments(['export'])).toEqual({ name: 'export', path: undefined });
    for (const args of [['--help'], ['-h'], ['import', '--help']]) {
      expect(commandFromArguments(args)).toEqual({ name: 'help' });
    }
    expect(commandFromArguments(['export', 'a'])).toEqual({ name: 'export', path: 'a' });
  });

  it('are refused for anything else', () => {
    for (const text of [
      'import',
      'import a b',
      'export a b',
      'export --skip-bad',
      '--skip-bad',
      'serve a',
      'x',
      'import a --force',
    ]) {
      expect(commandFromArguments(text.split(' ')), text).toBe(null);
    }
  });
});

describe('the command', () => {
  it('loads 100,000 rows, tells how far it is, and writes the same bytes back', async () => {
    const env = envFor(await freshDatabasePath());
    const lines = Array.from({ length: 100_000 }, (_, n) => siteLine('acme', `SITE-${100_000 + n}`));
    const source = await fileOf(lines);
    const target = await freshPath();
    expect(await endOf(run(env, 'import', source))).toEqual({
      code: 0,
      output: 'imported 100000 sites and 0 conversations\n',
      errors: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => `${n}0000 lines read\n`).join(''),
    });
    expect(await endOf(run(env, 'export', target))).toEqual({ code: 0, output: '', errors: '' });
    expect((await readFile(target)).equals(await readFile(source))).toBe(true);
    expect(await readdir(dirname(target))).toHaveLength(1);
    const { output } = await endOf(run(env, 'export'));
    expect(output === (await readFile(source, 'utf8'))).toBe(true);
  });

  it('ends with 1 and names a hundred bad lines, or with 0 where it skips them', async () => {
    const env = envFor(await freshDatabasePath());
    const source = await fileOf([siteLine('acme', 'SITE-1'), ...Array.from({ length: 123 }, () => '{')]);
    const refused = await endOf(run(env, 'import', source));
    expect(refused).toMatchObject({ code: 1, output: '' });
    const told = refused.errors.split('\n');
    expect(told.slice(0, 2)).toEqual(['line 2: not JSON', 'line 3: not JSON']);
    expect(told.slice(99)).toEqual([
      'line 101: not JSON',
      'and 23 more bad lines',
      'nothing imported: 123 bad lines; --skip-bad imports the others',
      '',
    ]);
    expect(await endOf(run(env, 'export'))).toMatchObject({ output: '' });
    const skipped = await endOf(run(env, 'import', source, '--skip-bad'));
    expect(skipped).toMatchObject({ code: 0, output: 'imported 1 sites and 0 conversations\n' });
    expect(skipped.errors).toContain('and 23 more bad lines\n');
  });

  it('ends with 0 and lists its commands and settings when it is asked for help, whatever is set', async () => {
    const path = await freshDatabasePath();
    const { code, output, errors } = await endOf(
      run({ ...envFor(path), REFERENCE_RATE_LIMIT: 'x' }, '--help'),
    );
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(/^usage: reference .*import FILE \[--skip-bad\].*export \[FILE\].*--help/s);
    expect(output).toContain('\n  REFERENCE_RATE_LIMIT=6000\n      Requests that');
    expect(output).toContain('\n  REFERENCE_RATE_LIMIT_URL\n      Redis');
    for (const [name, { description = '?' }] of Object.entries(referenceSettings.shape)) {
      expect(output).toMatch(new RegExp(`^  ${name}(=.*)?$`, 'm'));
      expect(output).toContain(description);
    }
    await expect(access(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('ends with 2 and its usage for arguments that say nothing, and makes no database', async () => {
    const path = await freshDatabasePath();
    const { code, errors } = await endOf(run(envFor(path), 'import'));
    expect(code).toBe(2);
    expect(errors).toMatch(/^usage: reference .*import FILE \[--skip-bad\].*export \[FILE\]/s);
    await expect(access(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('ends with 1 for a file that cannot be read or written, and leaves none behind', async () => {
    const env = envFor(await freshDatabasePath());
    const missing = await freshPath('missing');
    const reading = await endOf(run(env, 'import', missing));
    expect(reading).toMatchObject({ code: 1, errors: expect.stringContaining('no such file') });
    // A folder of that name cannot be replaced by a file.
    const folder = join(missing, 'target');
    await mkdir(folder, { recursive: true });
    const writing = await endOf(run(env, 'export', folder));
    expect(writing).toMatchObject({ code: 1, errors: expect.stringMatching(/^E\w+: .*\n$/) });
    expect(await readdir(missing)).toEqual(['target']);
  });
});
