import Sqlite from 'libsql';
import { expect, it } from 'vitest';
import { demoConversations, demoSites } from '../../../reference/data/demo-ids.ts';
import { freshDatabasePath } from '../support/database.ts';
import { contextTarget, sendRequest, siteTarget, startFresh } from '../support/server.ts';

it('sends a 500 without the cause, which onFault gets', async () => {
  const path = await freshDatabasePath();
  const faults: unknown[] = [];
  const reference = await startFresh({
    databaseUrl: `file:${path}`,
    onFault: (fault) => faults.push(fault),
  });
  const db = new Sqlite(path);
  db.exec('drop table sites');
  db.close();
  const response = await sendRequest(reference, siteTarget(demoSites().main));
  expect(response.status).toBe(500);
  expect(response.headers['content-type']).toBe('application/problem+json');
  expect(response.body).not.toMatch(/sites|sql|table|\//i);
  expect(String(faults)).toContain('no such table');
  expect((await sendRequest(reference, contextTarget(demoConversations.main))).status).toBe(200);
});
