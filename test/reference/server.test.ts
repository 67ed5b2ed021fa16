import { once } from 'node:events';
import { statSync } from 'node:fs';
import { chmod, readdir, symlink, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoSites } from '../../src/reference/data/demo-ids.ts';
import { startDatabase } from '../../src/reference/database/database.ts';
import { startReference } from '../../src/reference/server.ts';
import { freshDatabasePath } from './support/database.ts';
import { optionsFor, sendRequest, siteTarget, startFresh } from './support/server.ts';

/** From before any server starts. */
const platform = [globalThis.Request, globalThis.Response];

/** All rows of the database at `path`. */
async function contentOf(path: string) {
  const db = await startDatabase(`file:${path}`, () => Promise.reject(new Error('the tables are there')));
  try {
    return {
      keys: await db.selectFrom('keys').selectAll().orderBy('digest').execute(),
      sites: await db.selectFrom('sites').selectAll().orderBy('partner_id').orderBy('id').execute(),
      conversations: await db
        .selectFrom('conversations')
        .selectAll()
        .orderBy('partner_id')
        .orderBy('id')
        .execute(),
    };
  } finally {
    await db.destroy();
  }
}

describe('the reference', () => {
  it('writes the same data to every new database', async () => {
    const paths = [await freshDatabasePath(), await freshDatabasePath()];
    for (const path of paths) await (await startReference(optionsFor(path))).close();
    const [first, second] = await Promise.all(paths.map(contentOf));
    expect(first?.sites.length).toBe(65);
    expect(second).toEqual(first);
  });

  it('keeps its data from one start to the next and does not seed it again', async () => {
    const path = await freshDatabasePath();
    await (await startReference(optionsFor(path))).close();
    const db = await startDatabase(`file:${path}`, async () => {});
    await db
      .deleteFrom('sites')
      .where('partner_id', '=', 'acme')
      .where('id', '=', demoSites().main)
      .execute();
    await db.destroy();
    const reference = await startFresh({ databaseUrl: `file:${path}` });
    expect((await sendRequest(reference, siteTarget(demoSites().main))).status).toBe(404);
    expect((await sendRequest(reference, siteTarget('SITE-1002'))).status).toBe(200);
  });

  it('waits while another server of this process seeds, and does not seed then', async () => {
    const path = await freshDatabasePath();
    let second: ReturnType<typeof startFresh> | undefined;
    const first = await startDatabase(`file:${path}`, async (db) => {
      second = startFresh({ databaseUrl: `file:${path}` });
      // Some I/O, during which the second server meets the lock of this transaction.
      await readdir(dirname(path));
      const site = { partner_id: 'acme', id: 'SITE-first', site: '{}', clients: '[]', projects: '[]' };
      await db.insertInto('sites').values(site).execute();
    });
    await second;
    expect(await first.selectFrom('sites').select('id').execute()).toEqual([{ id: 'SITE-first' }]);
    await first.destroy();
  });

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
    const [link, target] = [join(dirname(path), 'link.db'), join(dirname(path), 'target.db')];
    await symlink('target.db', link);
    await startFresh({ databaseUrl: `file:${link}` });
    expect(modes(target)).toEqual(['600', '600', '600']);
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

  it('leaves the global Request and Response unchanged', async () => {
    await sendRequest(await startFresh(), '/v1/health');
    expect([globalThis.Request, globalThis.Response]).toEqual(platform);
  });
});
