import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { startDatabase } from '../../../reference/database/database.ts';
import { createToken } from '../../../reference/keys/link-encryption.ts';
import { freshOwnedUrl, freshPostgresUrl, hasPostgres, queryPostgres } from '../../support/postgres.ts';
import { startRelay } from '../../support/relay.ts';
import { openDatabase } from '../support/database.ts';
import { importLines, siteLine } from '../support/ndjson.ts';
import { sendRequest, siteTarget, startFresh } from '../support/server.ts';

const site = siteTarget(demoSites().main);

/** Locks the table of sites; resolves to a function that unlocks it. */
async function lockSites(url: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin; lock table sites in access exclusive mode');
  return async () => void (await client.query('rollback'));
}

/** The backend processes that wait for the lock, once there are `count`. */
async function waitersFor(url: string, count: number): Promise<number[]> {
  for (;;) {
    const rows = await queryPostgres(
      url,
      "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    if (rows.length >= count) return rows.map((row) => (row as { pid: number }).pid);
  }
}

describe.skipIf(!hasPostgres)('a failing Postgres', () => {
  it('fails only the request whose connection it drops', async () => {
    const databaseUrl = await freshPostgresUrl();
    const reference = await startFresh({ databaseUrl });
    const unlock = await lockSites(databaseUrl);
    const pending = sendRequest(reference, site);
    const [pid = 0] = await waitersFor(databaseUrl, 1);
    await queryPostgres(databaseUrl, `select pg_terminate_backend(${pid})`);
    expect(await pending).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    await unlock();
    expect((await sendRequest(reference, site)).status).toBe(200);
  });

  it('is a 503 while it is gone, and is used again after', async () => {
    const database = await freshPostgresUrl();
    const relay = await startRelay(new URL(database));
    const databaseUrl = new URL(database);
    databaseUrl.host = new URL(relay.url).host;
    databaseUrl.password = 'secret';
    const faults: unknown[] = [];
    const reference = await startFresh({
      databaseUrl: databaseUrl.href,
      onFault: (fault) => faults.push(fault),
    });
    await sendRequest(reference, site);
    await relay.cut();
    for (const [target, key] of [
      [site, demoKeys.acme],
      ['/v1/health', 'unknown-key-0000000000'],
      [`/link/${createToken()}`, ''],
    ] as const) {
      const response = await sendRequest(reference, target, { 'x-api-key': key });
      expect(response, target).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    }
    await relay.mend();
    expect((await sendRequest(reference, site)).status).toBe(200);
    expect(faults).toHaveLength(3);
    expect(faults.join()).not.toContain('secret');
  });

  it('fails a waiting request after its statement timeout, but not an import', async () => {
    const databaseUrl = await freshPostgresUrl();
    const reference = await startFresh({ databaseUrl });
    const db = await openDatabase(databaseUrl);
    const unlock = await lockSites(databaseUrl);
    const importing = importLines(db, [siteLine('acme', 'SITE-1')]);
    await waitersFor(databaseUrl, 1);
    expect((await sendRequest(reference, site)).status).toBe(500);
    await unlock();
    expect(await importing).toMatchObject({ sites: 1 });
    expect((await sendRequest(reference, siteTarget('SITE-1'))).status).toBe(200);
  });

  it('fails the start where its user may not set the reader role', async () => {
    const url = await freshOwnedUrl();
    await openDatabase(url);
    const { pathname, username } = new URL(url);
    await queryPostgres(url, `revoke ${pathname.slice(1)}_reader from ${username}`);
    await expect(startDatabase(url, async () => {})).rejects.toThrow('permission denied to set role');
  });
});
