import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { freshDatabasePath, freshPath } from '../support/database.ts';
import { fileOf, siteLine } from '../support/ndjson.ts';
import { outcomeOf, run } from '../support/process.ts';

const envFor = (path: string) => ({
  REFERENCE_DATABASE_URL: `file:${path}`,
  REFERENCE_ENVIRONMENT: 'production',
});

it('loads 25,000 rows with progress, and writes the same bytes back', async () => {
  const env = envFor(await freshDatabasePath());
  const lines = Array.from({ length: 25_000 }, (_, n) => siteLine('acme', `SITE-${100_000 + n}`));
  const source = await fileOf(lines);
  const target = await freshPath();
  expect(await outcomeOf(run(env, 'import', source))).toEqual({
    code: 0,
    output: 'imported 25000 sites and 0 conversations\n',
    errors: '10000 lines read\n20000 lines read\n',
  });
  expect(await outcomeOf(run(env, 'export', target))).toEqual({ code: 0, output: '', errors: '' });
  expect((await readFile(target)).equals(await readFile(source))).toBe(true);
  expect(await readdir(dirname(target))).toHaveLength(1);
  const { output } = await outcomeOf(run(env, 'export'));
  expect(output === (await readFile(source, 'utf8'))).toBe(true);
});

it('exits with 1 and reports a hundred bad lines, or with 0 and --skip-bad', async () => {
  const env = envFor(await freshDatabasePath());
  const source = await fileOf([siteLine('acme', 'SITE-1'), ...Array.from({ length: 123 }, () => '{')]);
  const rejected = await outcomeOf(run(env, 'import', source));
  expect(rejected).toMatchObject({ code: 1, output: '' });
  const reported = rejected.errors.split('\n');
  expect(reported.slice(0, 2)).toEqual(['line 2: not JSON', 'line 3: not JSON']);
  expect(reported.slice(99)).toEqual([
    'line 101: not JSON',
    'and 23 more bad lines',
    'nothing imported: 123 bad lines; --skip-bad imports the others',
    '',
  ]);
  expect(await outcomeOf(run(env, 'export'))).toMatchObject({ code: 0, output: '' });
  const skipped = await outcomeOf(run(env, 'import', source, '--skip-bad'));
  expect(skipped).toMatchObject({ code: 0, output: 'imported 1 sites and 0 conversations\n' });
  expect(skipped.errors).toContain('and 23 more bad lines\n');
});

it('exits with 1 for a file that cannot be read or written, and leaves no partial file', async () => {
  const env = envFor(await freshDatabasePath());
  await outcomeOf(run(env, 'import', await fileOf([])));
  const missing = await freshPath('missing');
  const reading = await outcomeOf(run(env, 'import', missing));
  expect(reading).toMatchObject({ code: 1, errors: expect.stringContaining('no such file') });
  // A folder of that name cannot be replaced by a file.
  const folder = join(missing, 'target');
  await mkdir(folder, { recursive: true });
  const writing = await outcomeOf(run(env, 'export', folder));
  expect(writing).toMatchObject({ code: 1, errors: expect.stringMatching(/^E\w+: .*\n$/) });
  expect(await readdir(missing)).toEqual(['target']);
});

it('export fails where there is no database, and creates none', async () => {
  const path = await freshDatabasePath();
  for (const args of [['export'], ['export', await freshPath('rows.ndjson')]]) {
    expect(await outcomeOf(run(envFor(path), ...args))).toEqual({
      code: 1,
      output: '',
      errors: expect.stringMatching(
        `^REFERENCE_DATABASE_URL names no database of the reference: there is no file ${path}; [^\n]+\n$`,
      ),
    });
  }
  expect(await readdir(dirname(dirname(dirname(path))))).toEqual([]);
});
