import fc from 'fast-check';
import Sqlite from 'libsql';
import { expect, it } from 'vitest';
import { demoConversations, demoSites } from '../../../reference/data/demo-ids.ts';
import { freshDatabasePath } from '../support/database.ts';
import { contextTarget, dropTable, sendRequest, siteTarget, startFresh } from '../support/server.ts';

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

const { main } = demoConversations;
const siteIds = [
  ...['1001', 'site-1001', 'SITE', 'SITE1001', 'XSITE-1', ' SITE-1', 'PROP-1', 'constructor', '__proto__'],
  ...['SITE-\u0000', 'SITE-a\nb', 'SITE-\u007f', 'SITE-\u0085'],
  ...[`SITE-${'x'.repeat(196)}`, `SITE-${'🏠'.repeat(196)}`],
];
const segments = ['SITE-%', 'SITE-%zz', 'SITE-%C3', 'SITE-%ED%A0%80', 'SITE-%FF'];
const uuids = ['SITE-1001', main.slice(1), `{${main}}`, `%20${main}`];

it.each([
  {
    table: 'sites',
    malformed: [...siteIds.map((id) => siteTarget(id)), ...segments.map((segment) => `/v1/site/${segment}`)],
    good: siteTarget('SITE-1'),
  },
  { table: 'conversations', malformed: uuids.map(contextTarget), good: contextTarget(main) },
] as const)('malformed ids of $table are rejected without a query', async ({ table, malformed, good }) => {
  const path = await freshDatabasePath();
  const reference = await startFresh({ databaseUrl: `file:${path}` });
  // Without the table, every query is a 500.
  dropTable(path, table);
  for (const target of malformed) expect((await sendRequest(reference, target)).status, target).toBe(400);
  expect((await sendRequest(reference, good)).status).toBe(500);
});
