import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { startReference } from '../../../reference/server.ts';
import { freshDatabasePath, freshPath, onEngines } from '../support/database.ts';
import { issueArgs, runKeys } from '../support/keys.ts';
import { fileOf, siteLine } from '../support/ndjson.ts';
import { outcomeOf, run, urlOf } from '../support/process.ts';
import { optionsFor, sendRequest, siteTarget, withKey } from '../support/server.ts';

const envFor = (path: string) => ({
  REFERENCE_DATABASE_URL: `file:${path}`,
  REFERENCE_ENVIRONMENT: 'production',
});

/** Starts a server, which creates the demo, and ends it. */
async function createDemo(databaseUrl: string): Promise<void> {
  const server = await startReference(optionsFor('', { databaseUrl }));
  await server.close();
}

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

it('generates lines that replace all of Acme', async () => {
  const databaseUrl = `file:${await freshDatabasePath()}`;
  const env = { REFERENCE_DATABASE_URL: databaseUrl, REFERENCE_PORT: '0' };
  await createDemo(databaseUrl);
  const { output, code } = await outcomeOf(
    run(env, ...'generate --sites 2 --conversations 1 --seed 7'.split(' ')),
  );
  expect(code).toBe(0);
  const lines = output.trimEnd().split('\n');
  const imported = await outcomeOf(run(env, 'import', await fileOf(lines), '--replace'));
  expect(imported).toMatchObject({ code: 0, output: 'imported 2 sites and 1 conversations\n' });
  const exported = (await outcomeOf(run(env, 'export'))).output.split('\n');
  expect(exported.filter((line) => line.startsWith('{"partner":"acme"'))).toEqual(lines);
  expect(exported.filter((line) => line.startsWith('{"partner":"globex"')).length).toBeGreaterThan(30);
});

onEngines('reset', (freshUrl) => {
  it('deletes all, and the next start writes the demo', async () => {
    const databaseUrl = await freshUrl();
    const env = { REFERENCE_DATABASE_URL: databaseUrl, REFERENCE_PORT: '0' };
    await createDemo(databaseUrl);
    const demo = (await outcomeOf(run(env, 'export'))).output;
    await outcomeOf(run(env, 'import', await fileOf([siteLine('other', 'SITE-1')])));
    const { output: key } = await runKeys(databaseUrl, [...issueArgs, '--show']);
    expect(await outcomeOf(run(env, 'reset'))).toMatchObject({ code: 0, errors: '' });
    expect((await outcomeOf(run(env, 'export'))).output).toBe('');
    const server = await urlOf(run(env));
    const statuses = [key, demoKeys.acme, demoKeys.siteOnly].map((one) =>
      sendRequest(server, siteTarget('SITE-1001'), withKey(one)),
    );
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([403, 200, 200]);
    expect((await outcomeOf(run(env, 'export'))).output).toBe(demo);
  });

  it('is rejected in production, and where there are keys for it', async () => {
    const databaseUrl = await freshUrl();
    const env = { REFERENCE_DATABASE_URL: databaseUrl };
    await outcomeOf(run(env, 'import', await fileOf([siteLine('acme', 'SITE-1')])));
    expect(await outcomeOf(run({ ...env, NODE_ENV: 'production' }, 'reset'))).toEqual({
      code: 1,
      output: '',
      errors: 'reset needs REFERENCE_ENVIRONMENT=test\n',
    });
    await runKeys(
      databaseUrl,
      issueArgs.map((word) => (word === 'test' ? 'production' : word)),
    );
    expect(await outcomeOf(run(env, 'reset'))).toEqual({
      code: 1,
      output: '',
      errors: 'nothing deleted: REFERENCE_DATABASE_URL has keys for production\n',
    });
    expect((await outcomeOf(run(env, 'export'))).output).toContain('SITE-1');
  });
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
