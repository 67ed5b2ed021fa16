import { describe, expect, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../reference/data/demo-ids.ts';
import { rowFromKey } from '../../../reference/keys/keys.ts';
import { freshDatabasePath, openDatabase } from '../support/database.ts';
import { contextTarget, sendRequest, siteTarget, startFresh, withKey } from '../support/server.ts';

const environment = 'production';
const targets = ['/v1/health', siteTarget(demoSites().main), contextTarget(demoConversations.main)];

describe('production', () => {
  it('writes no demo data, rejects the demo keys and accepts keys of its own', async () => {
    const databaseUrl = `file:${await freshDatabasePath()}`;
    const reference = await startFresh({ databaseUrl, environment });
    for (const key of Object.values(demoKeys)) {
      for (const target of targets)
        expect((await sendRequest(reference, target, withKey(key))).status).toBe(403);
    }
    const db = await openDatabase(databaseUrl);
    for (const table of ['keys', 'sites', 'conversations'] as const) {
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    }
    const key = 'prod-key-0000000000000000';
    const own = {
      partner_id: 'acme',
      environment,
      description: 'a test',
      contact: 'ops@acme-property.example',
      created_at: '2024-01-01T00:00:00.000Z',
    } as const;
    await db
      .insertInto('keys')
      .values(rowFromKey(key, [], own))
      .execute();
    expect((await sendRequest(reference, '/v1/health', withKey(key))).status).toBe(200);
  });

  it('rejects the demo keys on a database that has them', async () => {
    const databaseUrl = `file:${await freshDatabasePath()}`;
    await (await startFresh({ databaseUrl })).close();
    const reference = await startFresh({ databaseUrl, environment });
    expect((await sendRequest(reference, '/v1/health')).status).toBe(403);
  });
});
