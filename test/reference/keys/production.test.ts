import { expect, it } from 'vitest';
import { demoKeys } from '../../../reference/data/demo-ids.ts';
import { freshDatabasePath, openDatabase } from '../support/database.ts';
import { issueLink, keyOn, press } from '../support/keys.ts';
import { sendRequest, startFresh, withKey } from '../support/server.ts';

const environment = 'production';

it('writes no demo data in production, rejects the demo keys and accepts keys of its own', async () => {
  const databaseUrl = `file:${await freshDatabasePath()}`;
  const reference = await startFresh({ databaseUrl, environment });
  for (const key of Object.values(demoKeys)) {
    expect((await sendRequest(reference, '/v1/health', withKey(key))).status).toBe(403);
  }
  const db = await openDatabase(databaseUrl);
  for (const table of ['keys', 'sites', 'conversations'] as const) {
    expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
  }
  const { target } = await issueLink(databaseUrl, Date.now, { environment });
  const key = String(keyOn(await press(reference, target)));
  expect((await sendRequest(reference, '/v1/health', withKey(key))).status).toBe(200);
});

it('rejects the demo keys in production on a database that has them', async () => {
  const databaseUrl = `file:${await freshDatabasePath()}`;
  await (await startFresh({ databaseUrl })).close();
  const reference = await startFresh({ databaseUrl, environment });
  expect((await sendRequest(reference, '/v1/health')).status).toBe(403);
});
