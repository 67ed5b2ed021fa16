import { once } from 'node:events';
import { statSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startReference } from '../../reference/server.ts';
import { freshDatabasePath } from './support/database.ts';
import { optionsFor, sendRequest, startFresh } from './support/server.ts';

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

it('closes idle and silent sockets when it closes', async () => {
  const reference = await startReference(optionsFor(await freshDatabasePath()));
  const agent = new Agent({ keepAlive: true });
  const [response] = await once(get(`${reference.url}/v1/health`, { agent }), 'response');
  response.resume();
  await once(response, 'end');
  const silent = connect(Number(new URL(reference.url).port), '127.0.0.1');
  await once(silent, 'connect');
  const ended = once(silent.resume(), 'close');
  await reference.close();
  await ended;
  agent.destroy();
  await expect(sendRequest(reference, '/v1/health')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
