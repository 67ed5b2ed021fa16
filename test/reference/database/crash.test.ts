import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setImmediate as immediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { demoSites } from '../../../reference/data/demo-ids.ts';
import { freshDatabasePath, onEngines, openDatabase, openSeeded } from '../support/database.ts';
import { exportedLines, fileOf, importLines, siteLine } from '../support/ndjson.ts';
import { kill, run, runScript } from '../support/process.ts';
import { sendRequest, siteTarget, startFresh } from '../support/server.ts';

const ROWS = 30_000;

const version = (n: number) =>
  Array.from({ length: ROWS }, (_, row) => siteLine('acme', `SITE-${100_000 + row}`, { brandId: `v${n}` }));

/** Issues keys, opens their links and prints their names, until it is killed. */
const issueForever = `
  import { startDatabase } from './reference/database/database.ts';
  import { createLinks } from './reference/keys/links.ts';
  import { createKeyAdmin } from './reference/keys/admin.ts';
  const db = await startDatabase(process.env.REFERENCE_DATABASE_URL);
  const request = {
    partnerId: 'acme', environment: 'test', description: '', contact: '', scopes: [], expiresAt: null, linkHours: 1,
  };
  for (;;) {
    const { key, token } = await createKeyAdmin(db).issue(request);
    await createLinks(db).open(token);
    console.log(key.name);
  }`;

/** Resolves when the file has this many bytes or its writer has exited. */
async function untilGrown(path: string, bytes: number, writer: ChildProcess): Promise<void> {
  while (sizeOf(path) < bytes && writer.exitCode === null) await immediate();
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

onEngines('kill -9', (freshUrl) => {
  it('during an import leaves the rows from before it', async () => {
    const url = await freshUrl();
    const db = await openDatabase(url);
    const before = version(1);
    await importLines(db, before);
    const env = { REFERENCE_DATABASE_URL: url, REFERENCE_ENVIRONMENT: 'production' };
    const child = run(env, 'import', await fileOf(version(2)));
    if (!child.stderr) return expect.unreachable();
    for await (const line of createInterface(child.stderr)) {
      expect(line).toBe('10000 lines read');
      break;
    }
    await kill(child);
    const reopened = await openDatabase(url);
    expect(await exportedLines(reopened)).toEqual(before);
    const after = version(3);
    await importLines(reopened, after);
    expect(await exportedLines(db)).toEqual(after);
  });
});

describe('kill -9', () => {
  it('while keys are issued leaves each key with its link, and every reported key', async () => {
    const url = `file:${await freshDatabasePath()}`;
    const issued: string[] = [];
    for (const count of [20, 41, 63]) {
      const child = runScript(url, issueForever);
      if (!child.stdout) return expect.unreachable();
      const printed: string[] = [];
      for await (const line of createInterface(child.stdout)) {
        printed.push(line);
        if (printed.length === count) break;
      }
      await kill(child);
      issued.push(...printed);
    }
    const db = await openDatabase(url);
    const keys = await db.selectFrom('keys').select('name').execute();
    const links = await db.selectFrom('links').select(['key_name', 'sealed', 'opened_at']).execute();
    const names = keys.map(({ name }) => name).sort();
    expect(links.map(({ key_name }) => key_name).sort()).toEqual(names);
    expect(names).toEqual(expect.arrayContaining(issued));
    for (const { sealed, opened_at } of links) expect(sealed === null).toBe(opened_at !== null);
    const opened = links.filter(({ opened_at }) => opened_at !== null).map(({ key_name }) => key_name);
    // A name is printed after its link was opened.
    expect(opened).toEqual(expect.arrayContaining(issued));
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
    expect(rows).toEqual([{ integrity_check: 'ok' }]);
  });

  it('during the first start leaves a database that the next start completes', async () => {
    const demo = await exportedLines(await openSeeded(`file:${await freshDatabasePath()}`));
    for (const [suffix, bytes] of [
      ['', 0],
      ['-wal', 0],
      ['-wal', 1],
      ['-wal', 200_000],
      ['', 100_000],
    ] as const) {
      const path = await freshDatabasePath();
      const child = run({ REFERENCE_DATABASE_URL: `file:${path}`, REFERENCE_PORT: '0' });
      await untilGrown(`${path}${suffix}`, bytes, child);
      await kill(child);
      const reference = await startFresh({ databaseUrl: `file:${path}` });
      expect((await sendRequest(reference, siteTarget(demoSites().main))).status).toBe(200);
      const db = await openDatabase(`file:${path}`);
      expect(await exportedLines(db)).toEqual(demo);
      expect((await db.selectFrom('keys').select('name').execute()).length).toBe(2);
    }
  });
});
