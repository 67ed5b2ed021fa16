import { expect, it } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { startReference } from '../../../reference/server.ts';
import { freshDatabasePath, freshPath, onEngines, openDatabase } from '../support/database.ts';
import { issueArgs, runKeys } from '../support/keys.ts';
import { fileOf, siteLine, storedLines } from '../support/ndjson.ts';
import { outcomeOf, run, urlOf } from '../support/process.ts';
import { optionsFor, sendRequest, siteTarget, withKey } from '../support/server.ts';

const envFor = (path: string) => ({
  REFERENCE_DATABASE_URL: `file:${path}`,
  NODE_ENV: 'production',
});

/** Starts a server, which creates the demo, and ends it. */
async function createDemo(databaseUrl: string): Promise<void> {
  const server = await startReference(optionsFor('', { databaseUrl }));
  await server.close();
}

it('loads rows, and exits with 1 for a file that cannot be read', async () => {
  const env = envFor(await freshDatabasePath());
  const source = await fileOf(Array.from({ length: 700 }, (_, n) => siteLine('acme', `SITE-${n}`)));
  expect(await outcomeOf(run(env, 'import', source))).toEqual({
    code: 0,
    output: 'imported 700 sites and 0 conversations\n',
    errors: '',
  });
  const missing = await outcomeOf(run(env, 'import', await freshPath('missing')));
  expect(missing).toMatchObject({ code: 1, errors: expect.stringContaining('no such file') });
});

it('exits with 1 and reports a hundred bad lines', async () => {
  const env = envFor(await freshDatabasePath());
  const source = await fileOf([siteLine('acme', 'SITE-1'), ...Array.from({ length: 123 }, () => '{')]);
  const rejected = await outcomeOf(run(env, 'import', source));
  expect(rejected).toMatchObject({ code: 1, output: '' });
  const reported = rejected.errors.split('\n');
  expect(reported.slice(0, 2)).toEqual(['line 2: not JSON', 'line 3: not JSON']);
  expect(reported.slice(99)).toEqual(['line 101: not JSON', 'nothing imported: 123 bad lines', '']);
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
  const stored = await storedLines(await openDatabase(databaseUrl));
  expect(stored.filter((line) => line.startsWith('{"partner":"acme"'))).toEqual(lines);
  expect(stored.filter((line) => line.startsWith('{"partner":"globex"')).length).toBeGreaterThan(20);
});

onEngines('reset', (freshUrl) => {
  it('deletes all, and the next start writes the demo', async () => {
    const databaseUrl = await freshUrl();
    const env = { REFERENCE_DATABASE_URL: databaseUrl, REFERENCE_PORT: '0' };
    await createDemo(databaseUrl);
    await outcomeOf(run(env, 'import', await fileOf([siteLine('other', 'SITE-1')])));
    const { output: key } = await runKeys(databaseUrl, [...issueArgs, '--show']);
    expect(await outcomeOf(run(env, 'reset'))).toMatchObject({ code: 0, errors: '' });
    const server = await urlOf(run(env));
    const statuses = [key, demoKeys.acme, demoKeys.siteOnly].map((one) =>
      sendRequest(server, siteTarget('SITE-1001'), withKey(one)),
    );
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([403, 200, 200]);
  });

  it('is rejected in production, and where there are keys for it', async () => {
    const databaseUrl = await freshUrl();
    const env = { REFERENCE_DATABASE_URL: databaseUrl };
    await outcomeOf(run(env, 'import', await fileOf([siteLine('acme', 'SITE-1')])));
    expect(await outcomeOf(run({ ...env, NODE_ENV: 'production' }, 'reset'))).toEqual({
      code: 1,
      output: '',
      errors: 'reset is not for NODE_ENV=production\n',
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
  });
});
