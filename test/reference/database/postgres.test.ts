import { describe, expect, it } from 'vitest';
import { demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { startDatabase } from '../../../reference/database/database.ts';
import { createToken } from '../../../reference/keys/link-encryption.ts';
import { freshOwnedUrl, freshPostgresUrl, hasPostgres, queryPostgres } from '../../support/postgres.ts';
import { startRelay } from '../../support/relay.ts';
import { openDatabase } from '../support/database.ts';
import { sendRequest, siteTarget, startFresh } from '../support/server.ts';

const site = siteTarget(demoSites().main);

describe.skipIf(!hasPostgres)('a failing Postgres', () => {
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

  it('fails the start where its user may not set the reader role', async () => {
    const url = await freshOwnedUrl();
    await openDatabase(url);
    const { pathname, username } = new URL(url);
    await queryPostgres(url, `revoke ${pathname.slice(1)}_reader from ${username}`);
    await expect(startDatabase(url, async () => {})).rejects.toThrow('permission denied to set role');
  });
});
