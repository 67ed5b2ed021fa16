import fc from 'fast-check';
import Sqlite from 'libsql';
import { expect, it } from 'vitest';
import { demoSites } from '../../../reference/data/demo-ids.ts';
import { freshDatabasePath } from '../support/database.ts';
import { sendRequest, siteTarget, startFresh } from '../support/server.ts';

it('site ids may contain any characters, percent-encoded in the path', async () => {
  const path = await freshDatabasePath();
  const reference = await startFresh({ databaseUrl: `file:${path}` });
  const db = new Sqlite(path);
  const insert = db.prepare("insert into sites values ('acme', ?, ?, '[]', '[]')");
  const tail = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom('%', '/', '?', '#', ' ', '+', '.', '\\', '%2F', 'é', '𝒮', ';', ':'),
      maxLength: 12,
    }),
  );
  let row = 0;
  await fc.assert(
    fc.asyncProperty(tail, async (text) => {
      const id = `SITE-x${row++}${text}`;
      fc.pre(!/\p{Cc}|[\u2028\u2029]/u.test(id) && id.isWellFormed());
      insert.run([id, JSON.stringify({ id })]);
      const response = await sendRequest(reference, siteTarget(id));
      expect(response.status, id).toBe(200);
      expect(JSON.parse(response.body)).toEqual({ id });
    }),
  );
  db.close();
});

it('site ids are one segment: a slash or a dot segment does not lead to another address', async () => {
  const reference = await startFresh();
  expect((await sendRequest(reference, '/v1/site/SITE-North/Annex')).status).toBe(404);
  expect((await sendRequest(reference, '/v1/site/SITE-x/../SITE-1001')).status).toBe(404);
  expect((await sendRequest(reference, '/v1/site/%2e%2e')).status).toBe(400);
  expect((await sendRequest(reference, '/v1/site/..%2Fhealth')).status).toBe(400);
});

it('site ids have the configured prefix', async () => {
  const reference = await startFresh({ siteIdPrefix: 'PROP' });
  const response = await sendRequest(reference, siteTarget(demoSites('PROP').main));
  expect(JSON.parse(response.body).id).toBe('PROP-1001');
  expect((await sendRequest(reference, siteTarget('SITE-1001'))).status).toBe(400);
});
