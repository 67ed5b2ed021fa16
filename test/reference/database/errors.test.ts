import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { startDatabase } from '../../../reference/database/database.ts';
import { startProcess } from '../../support/process.ts';
import { freshPath } from '../support/database.ts';

const messageOf = (databaseUrl: string): Promise<string> =>
  startDatabase(databaseUrl).then(
    (db) => db.destroy().then(() => 'opened'),
    (error: Error) => error.message,
  );

it('a file that cannot be opened is reported with the setting and the cause', async () => {
  const folder = dirname(await freshPath());
  await mkdir(`${folder}/folder`);
  await writeFile(`${folder}/file`, 'text\n'.repeat(2_000));
  for (const [path, cause] of [
    ['/file/a/b.db', /ENOTDIR|EEXIST/],
    ['/folder', /folder/],
    ['/file', /not a database/],
  ] as const) {
    const message = await messageOf(`file:${folder}${path}`);
    expect(message).toMatch(/^REFERENCE_DATABASE_URL cannot be opened: [^\n]+$/);
    expect(message).toMatch(cause);
  }
});

it.each([
  ['127.0.0.1:1/partners', 'ECONNREFUSED'],
  ['none.invalid/partners', 'none.invalid'],
])('a Postgres that cannot be used (%s) is reported without a password', async (rest, cause) => {
  const message = await messageOf(`postgres://unknown:secret@${rest}`);
  expect(message).toMatch(/^REFERENCE_DATABASE_URL cannot be opened: [^\n]+$/);
  expect(message).toContain(cause);
  expect(message).not.toContain('secret');
});

it('a start without its database prints one line and exits with 1', async () => {
  const env = { PORT: '0', REFERENCE_PORT: '0', REFERENCE_DATABASE_URL: 'file:/dev/null/reference.db' };
  const line = /^REFERENCE_DATABASE_URL cannot be opened: [^\n]+\n$/;
  for (const program of ['reference/main.ts', 'main.ts']) {
    const outcome = await (await startProcess(program, env)).exit();
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(line) });
  }
});
