import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDatabase } from '../../../reference/database/database.ts';
import { explainPostgres } from '../../../reference/database/postgres-errors.ts';
import { freshPostgresUrl, hasPostgres } from '../../support/postgres.ts';
import { startProcess } from '../../support/process.ts';
import { freshPath } from '../support/database.ts';
import { outcomeOf, run, runKeysProcess, runScript } from '../support/process.ts';

const messageOf = (databaseUrl: string): Promise<string> =>
  startDatabase(databaseUrl).then(
    (db) => db.destroy().then(() => 'opened'),
    (error: Error) => error.message,
  );

const cannot = (cause: string) => `REFERENCE_DATABASE_URL cannot be opened: ${cause}`;

describe('a SQLite file that cannot be opened', () => {
  it.each([
    ['a path through a file', '/file/a/b.db', (path: string) => `${path}/file is a file, not a folder`],
    ['a file in place of its folder', '/file/b.db', (path: string) => `${path}/file is a file, not a folder`],
    ['a folder', '/folder', (path: string) => `${path}/folder is a folder`],
    ['another kind of file', '/file', (path: string) => `${path}/file is not a SQLite database`],
    ['a symbolic link to itself', '/loop', (path: string) => `${path}/loop cannot be created (ELOOP)`],
  ])('is reported with the setting and a remedy: %s', async (_, path, cause) => {
    const folder = dirname(await freshPath());
    await mkdir(`${folder}/folder`);
    await writeFile(`${folder}/file`, 'text\n'.repeat(2_000));
    await symlink('loop', `${folder}/loop`);
    expect(await messageOf(`file:${folder}${path}`)).toContain(cannot(cause(folder)));
    expect((await readdir(folder)).sort()).toEqual(['file', 'folder', 'loop']);
  });

  it.runIf(process.platform === 'linux')('is reported when its folder cannot be created', async () => {
    expect(await messageOf('file:/proc/none/made/b.db')).toContain(
      cannot('/proc/none/made/b.db cannot be created (ENOENT)'),
    );
  });

  it('is reported when the user has no permission to create, read or write it', async () => {
    const folder = dirname(await freshPath());
    const paths = [`${folder}/closed/new.db`, `${folder}/unreadable.db`, `${folder}/read-only.db`];
    await mkdir(`${folder}/closed`);
    for (const path of paths.slice(1)) await writeFile(path, '');
    for (const [path, mode] of Object.entries({ '': 0o755, '/closed': 0o555, '/unreadable.db': 0o000 })) {
      await chmod(`${folder}${path}`, mode);
    }
    await chmod(`${folder}/read-only.db`, 0o444);
    // Root has every permission, so the process first becomes another user.
    const text = `
      const { startDatabase } = await import('./reference/database/database.ts');
      if (process.getuid() === 0) process.setuid(65534);
      for (const path of ${JSON.stringify(paths)}) {
        await startDatabase('file:' + path).catch((error) => console.log(error.message));
      }`;
    const { output } = await outcomeOf(runScript('', text));
    expect(output.trim().split('\n')).toEqual(
      paths.map((path) => expect.stringContaining(cannot(`no permission to create, read and write ${path}`))),
    );
  });

  it('is reported when its URL names no file', async () => {
    expect(await messageOf('file://elsewhere/b.db')).toMatch(
      /^REFERENCE_DATABASE_URL cannot be opened: .* host .*; set /,
    );
    expect(await messageOf('file:///%zz')).toMatch(/^REFERENCE_DATABASE_URL cannot be opened: .*; set /);
  });
});

describe('a Postgres that cannot be used', () => {
  it.each([
    ['no server', '127.0.0.1:1/partners', 'Postgres at 127.0.0.1:1 refuses the connection (ECONNREFUSED)'],
    ['no host', 'none.invalid/partners', 'the host of Postgres at none.invalid:5432 cannot be resolved (E'],
    ['no socket', '/partners?host=/nowhere', 'Postgres at /nowhere:5432 refuses the connection (ENOENT)'],
    ['no port', '127.0.0.1:x/partners', 'it is not a URL'],
  ])('is reported with the setting and a remedy, without credentials: %s', async (_, rest, cause) => {
    const message = await messageOf(`postgres://unknown:secret@${rest}`);
    expect(message.startsWith(cannot(cause)), message).toBe(true);
    expect(message).toContain('; ');
    expect(message).not.toMatch(/secret|unknown/);
  });

  it.each([
    ['28P01', 'password authentication failed for user "nobody"', ' rejects the user or the password'],
    ['28000', 'no pg_hba.conf entry for host "::1", user "nobody"', ' rejects the user or the password'],
    ['53300', 'sorry, too many clients already', ' has no connection left'],
    ['57P03', 'the database system is starting up', ' does not accept connections yet'],
    ['XX000', 'out of its mind', '/partners: out of its mind'],
    ['', 'Connection terminated due to connection timeout', ' does not answer'],
  ])('is reported with the cause of its error %s', (code, message, cause) => {
    const [explained] = explainPostgres('postgres://nobody:secret@[::1]:1/partners', code, message);
    expect(explained).toBe(`Postgres at [::1]:1${cause}`);
  });

  it('is reported without its password even if that is not percent-encoded', async () => {
    for (const mark of ['/', '?', '#']) {
      expect(await messageOf(`postgres://127.0.0.1:1${mark}secret@127.0.0.1:1/partners`)).toContain(
        cannot('Postgres refuses the connection (ECONNREFUSED)'),
      );
    }
  });

  it.skipIf(!hasPostgres)(
    'is reported when the database does not exist or the user lacks a privilege',
    async () => {
      const url = new URL(await freshPostgresUrl());
      const { host, pathname } = url;
      url.pathname = '/there_is_none';
      const place = `Postgres at ${host.includes(':') ? host : `${host}:5432`}`;
      expect(await messageOf(url.href)).toContain(
        cannot(`${place} answers that the database there_is_none does not exist`),
      );
      url.pathname = pathname;
      url.searchParams.set('options', '-c default_transaction_read_only=on');
      expect(await messageOf(url.href)).toContain(`${place}${pathname}: cannot execute CREATE TABLE`);
    },
  );
});

describe('a start without its database', () => {
  it('prints one line and exits with 1: the reference, npm run keys and the gateway', async () => {
    const path = '/dev/null/reference.db';
    const line = `${cannot('/dev/null is a file, not a folder')}; set another path\n`;
    const env = { PORT: '0', REFERENCE_PORT: '0', REFERENCE_DATABASE_URL: `file:${path}` };
    expect(await outcomeOf(run(env))).toEqual({ code: 1, output: '', errors: line });
    expect(await (await startProcess('main.ts', env)).exit()).toEqual({ code: 1, stdout: '', stderr: line });
    const unreachable = 'postgres://nobody:secret@127.0.0.1:1/partners';
    const { code, output, errors } = await outcomeOf(
      runKeysProcess({ REFERENCE_DATABASE_URL: unreachable }, 'list'),
    );
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(
      /^REFERENCE_DATABASE_URL cannot be opened: Postgres at 127\.0\.0\.1:1 refuses[^\n]*\n$/,
    );
    expect(errors).not.toMatch(/secret|nobody/);
  });
});
