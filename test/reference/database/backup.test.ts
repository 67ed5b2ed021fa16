import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { makeFolder } from '../../support/manifest.ts';
import { asSuperuser, freshOwnedUrl, hasPostgres, queryPostgres } from '../../support/postgres.ts';
import { issueArgs, keyOn, press, runKeys } from '../support/keys.ts';
import { kill, run, urlOf } from '../support/process.ts';
import { sendRequest, siteTarget, withKey } from '../support/server.ts';

const root = resolve(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'reference/README.md'), 'utf8');
const section = page.slice(page.indexOf('## Backup and restore'));
const [backUp = '', restore = '', backUpPostgres = '', restorePostgres = ''] = [
  ...section.matchAll(/^```sh\n(.*?)^```$/gms),
].map(([, commands]) => commands);

/** Runs commands of the page, with other paths. */
async function sh(commands: string, paths: Record<string, string>, env: Record<string, string> = {}) {
  const text = Object.entries(paths).reduce((all, [path, other]) => all.replaceAll(path, other), commands);
  const options = { cwd: root, env: { PATH: process.env.PATH, ...env } };
  return (await promisify(execFile)('sh', ['-ec', text], options)).stdout;
}

/** Issues a key, takes a backup while the server runs, loses the database, restores it, and uses the key. */
async function expectRestored(
  databaseUrl: string,
  steps: Record<'backUp' | 'lose' | 'restore', () => Promise<unknown>>,
) {
  const env = { REFERENCE_DATABASE_URL: databaseUrl, REFERENCE_PORT: '0' };
  const child = run(env);
  const before = await urlOf(child);
  const { output } = await runKeys(databaseUrl, issueArgs);
  const key = String(keyOn(await press(before, /\/link\/\S+/.exec(output)?.[0] ?? '')));
  const request = [siteTarget('SITE-1001'), withKey(key)] as const;
  const { status, body } = await sendRequest(before, ...request);
  expect(status).toBe(200);
  await steps.backUp();
  await kill(child);
  await steps.lose();
  await steps.restore();
  expect(await sendRequest(await urlOf(run(env)), ...request)).toMatchObject({ status, body });
}

it('restores a SQLite database with its keys, as the page says', async () => {
  const folder = await makeFolder();
  const path = join(folder, 'reference.db');
  const paths = { '.data/reference.db': path, 'backup.db': join(folder, 'backup.db') };
  await expectRestored(`file:${path}`, {
    backUp: async () => expect(await sh(backUp, paths)).toContain('Shows sites on a map'),
    // The -wal of the killed server stays.
    lose: async () => writeFileSync(path, 'lost'),
    restore: () => sh(restore, paths),
  });
});

const hasPrograms = spawnSync('pg_dump', ['--version']).status === 0;
if (hasPostgres && !hasPrograms) console.warn('pg_dump is not in the path: its test is skipped');

it.skipIf(!hasPostgres || !hasPrograms)(
  'restores a Postgres database with its keys, as the page says',
  async () => {
    const url = await freshOwnedUrl();
    const paths = { 'reference.dump': join(await makeFolder(), 'reference.dump') };
    const name = new URL(url).pathname.slice(1);
    const admin = asSuperuser('postgres://any/postgres');
    await expectRestored(url, {
      backUp: () => sh(backUpPostgres, paths, { ADMIN_URL: asSuperuser(url) }),
      async lose() {
        await queryPostgres(admin, `drop database ${name} with (force)`);
        await queryPostgres(admin, `create database ${name} owner ${name}_owner`);
      },
      restore: () => sh(restorePostgres, paths, { ADMIN_URL: asSuperuser(url) }),
    });
  },
);
