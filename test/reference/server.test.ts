import { statSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freshDatabasePath } from './support/database.ts';
import { startFresh } from './support/server.ts';

it('creates SQLite files with the mode 0600, and keeps the mode of existing ones', async () => {
  const path = await freshDatabasePath();
  const modes = (of: string) =>
    ['', '-wal', '-shm'].map((end) => (statSync(`${of}${end}`).mode & 0o777).toString(8));
  const umask = process.umask(0o022);
  onTestFinished(() => void process.umask(umask));
  await startFresh({ databaseUrl: `file:${path}` });
  expect(modes(path)).toEqual(['600', '600', '600']);
  const shared = join(dirname(path), 'shared.db');
  await writeFile(shared, '');
  await chmod(shared, 0o640);
  await startFresh({ databaseUrl: `file:${shared}` });
  expect(modes(shared)).toEqual(['640', '640', '640']);
});
