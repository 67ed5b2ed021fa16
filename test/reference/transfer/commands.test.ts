import { expect, it, onTestFinished, vi } from 'vitest';
import { generatedLines } from '../../../reference/data/generated.ts';
import { seedDemo } from '../../../reference/data/seed.ts';
import { startDatabase } from '../../../reference/database/database.ts';
import { runImport, runReset } from '../../../reference/transfer/commands.ts';
import { startProcess } from '../../support/process.ts';
import { freshDatabasePath, freshPath, onEngines, openDatabase, openSeeded } from '../support/database.ts';
import { issueArgs, runKeys } from '../support/keys.ts';
import { fileOf, siteLine, storedLines } from '../support/ndjson.ts';

const siteIdPrefix = 'SITE';

const runReference = async (env: Record<string, string>, ...args: string[]) =>
  (await startProcess('reference/main.ts', env, args)).exit();

/** The lines that the console prints meanwhile. */
function printed() {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line));
  onTestFinished(() => log.mockRestore());
  return lines;
}

it('exits with 1 and reports a hundred bad lines', async () => {
  const databaseUrl = `file:${await freshDatabasePath()}`;
  const source = await fileOf([siteLine('acme', 'SITE-1'), ...Array.from({ length: 123 }, () => '{')]);
  const env = { REFERENCE_DATABASE_URL: databaseUrl };
  const { code, stdout, stderr } = await runReference(env, 'import', source);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  const reported = stderr.split('\n');
  expect(reported.slice(0, 2)).toEqual(['line 2: not JSON', 'line 3: not JSON']);
  expect(reported.slice(99)).toEqual(['line 101: not JSON', 'nothing imported: 123 bad lines', '']);
  const missing = await freshPath('missing');
  await expect(runImport({ databaseUrl, siteIdPrefix }, missing, false)).rejects.toThrow('no such file');
});

it('generates lines that replace all of Acme', async () => {
  const databaseUrl = `file:${await freshDatabasePath()}`;
  await openSeeded(databaseUrl);
  const numbers = ['--sites', '2', '--conversations', '1', '--seed', '7'];
  const { stdout, code } = await runReference({}, 'generate', ...numbers);
  expect(code).toBe(0);
  expect(stdout).toBe([...generatedLines({ sites: 2, conversations: 1, seed: 7, siteIdPrefix })].join(''));
  const lines = stdout.trimEnd().split('\n');
  const text = printed();
  await runImport({ databaseUrl, siteIdPrefix }, await fileOf(lines), true);
  expect(text).toEqual(['imported 2 sites and 1 conversations']);
  const stored = await storedLines(await openDatabase(databaseUrl));
  expect(stored.filter((line) => line.startsWith('{"partner":"acme"'))).toEqual(lines);
  expect(stored.filter((line) => line.startsWith('{"partner":"globex"')).length).toBeGreaterThan(20);
});

onEngines('reset', (freshUrl) => {
  it('deletes all, and the next start writes the demo', async () => {
    const databaseUrl = await freshUrl();
    const demo = await storedLines(await openSeeded(databaseUrl));
    printed();
    await runImport({ databaseUrl, siteIdPrefix }, await fileOf([siteLine('other', 'SITE-1')]), false);
    await runKeys(databaseUrl, [...issueArgs, '--show']);
    await runReset(databaseUrl);
    const emptied = await startDatabase(databaseUrl);
    expect(await storedLines(emptied)).toEqual([]);
    expect(await emptied.selectFrom('keys').select('name').execute()).toEqual([]);
    await emptied.destroy();
    const db = await startDatabase(databaseUrl, (fresh) => seedDemo(fresh, siteIdPrefix));
    expect(await storedLines(db)).toEqual(demo);
    await db.destroy();
  });

  it('is rejected where there are keys for production', async () => {
    const databaseUrl = await freshUrl();
    await openSeeded(databaseUrl);
    await runKeys(
      databaseUrl,
      issueArgs.map((word) => (word === 'test' ? 'production' : word)),
    );
    await expect(runReset(databaseUrl)).rejects.toThrow(
      'nothing deleted: REFERENCE_DATABASE_URL has keys for production',
    );
  });
});

it('resets nothing in production', async () => {
  expect(await runReference({ NODE_ENV: 'production' }, 'reset')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'reset is not for NODE_ENV=production\n',
  });
});
