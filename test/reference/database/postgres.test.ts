import { once } from 'node:events';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { demoSites } from '../../../reference/data/demo-ids.ts';
import { startDatabase } from '../../../reference/database/database.ts';
import { createToken } from '../../../reference/keys/link-encryption.ts';
import { freshOwnedUrl, freshPostgresUrl, hasPostgres, queryPostgres } from '../../support/postgres.ts';
import { startRelay } from '../../support/relay.ts';
import { openDatabase } from '../support/database.ts';
import { importLines, siteLine } from '../support/ndjson.ts';
import { run, urlOf } from '../support/process.ts';
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

/** Resolves when the port is closed. */
async function untilClosed(url: string): Promise<void> {
  while (await fetch(url).catch(() => null));
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

  it('is a 503 and one line of warning while it is gone or rejects connections, and is used again after', async () => {
    const database = await freshPostgresUrl();
    const relay = await startRelay(new URL(database));
    const databaseUrl = new URL(database);
    databaseUrl.host = new URL(relay.url).host;
    databaseUrl.password = 'secret';
    const lines: string[] = [];
    const faults: unknown[] = [];
    const reference = await startFresh({
      databaseUrl: databaseUrl.href,
      onWarning: (line) => lines.push(line),
      onFault: (fault) => faults.push(fault),
    });
    const requests = () => [
      sendRequest(reference, site),
      sendRequest(reference, '/v1/health', { 'x-api-key': 'unknown-key-0000000000' }),
      sendRequest(reference, `/link/${createToken()}`),
    ];
    const unavailable = { status: 503, headers: { 'retry-after': '5' } };
    await sendRequest(reference, site);

    await relay.cut();
    for (let round = 0; round < 3; round += 1)
      expect(await Promise.all(requests())).toMatchObject(Array(3).fill(unavailable));
    await relay.mend();
    expect((await sendRequest(reference, site)).status).toBe(200);

    const { pathname } = new URL(database);
    const admin = new URL(database);
    admin.pathname = '/postgres';
    const allow = (isAllowed: boolean) =>
      queryPostgres(admin.href, `alter database ${pathname.slice(1)} allow_connections ${isAllowed}`);
    await allow(false);
    await queryPostgres(
      admin.href,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${pathname.slice(1)}'`,
    );
    expect(await Promise.all(requests())).toMatchObject(Array(3).fill(unavailable));
    await allow(true);
    expect((await sendRequest(reference, site)).status).toBe(200);
    expect(lines).toEqual([expect.stringMatching(/^the database is not available: /)]);
    expect(lines[0]).not.toContain('secret');
    expect(faults).toEqual([]);
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

  it.each([
    ['a second signal', 'SIGINT'],
    ['five seconds', null],
  ] as const)('delays a shutdown until %s at most', async (_, second) => {
    const url = new URL(await freshPostgresUrl());
    // Without the timeout the read never ends.
    url.searchParams.set('statement_timeout', '0');
    const child = run({ REFERENCE_PORT: '0', REFERENCE_DATABASE_URL: url.href });
    const server = await urlOf(child);
    await lockSites(url.href);
    const pending = sendRequest(server, site).catch(() => {});
    await waitersFor(url.href, 1);
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    if (second) {
      await untilClosed(server.url);
      child.kill(second);
    }
    expect(await ended).toEqual([1, null]);
    await pending;
  });

  it('fails the start where its user may not set the reader role', async () => {
    const url = await freshOwnedUrl();
    await openDatabase(url);
    const { pathname, username } = new URL(url);
    await queryPostgres(url, `revoke ${pathname.slice(1)}_reader from ${username}`);
    await expect(startDatabase(url, async () => {})).rejects.toThrow('permission denied to set role');
  });
});
