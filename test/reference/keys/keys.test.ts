import { describe, expect, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../src/reference/data/demo-ids.ts';
import { startDatabase } from '../../../src/reference/database/database.ts';
import { rowFromKey, type Scope } from '../../../src/reference/keys/keys.ts';
import { freshDatabasePath } from '../support/database.ts';
import { contextTarget, type Headers, sendRequest, siteTarget, startFresh } from '../support/server.ts';

const facts = {
  partner_id: 'acme',
  environment: 'test',
  description: 'a test',
  contact: 'ops@acme-property.example',
  created_at: '2024-01-01T00:00:00.000Z',
} as const;

const past = '2024-02-01T00:00:00.000Z';
const everyScope: Scope[] = ['site:read', 'conversation:read'];
const targets = ['/v1/health', siteTarget(demoSites().main), contextTarget(demoConversations.main)];

/** A server on a database with these keys too. */
async function startWith(...rows: ReturnType<typeof rowFromKey>[]) {
  const path = await freshDatabasePath();
  const reference = await startFresh({ databaseUrl: `file:${path}` });
  const db = await startDatabase(`file:${path}`, async () => {});
  await db.insertInto('keys').values(rows).execute();
  await db.destroy();
  return reference;
}

describe('keys', () => {
  it('get the same 403 for every defect, at every address', async () => {
    const reference = await startWith(
      rowFromKey('revoked-key-000000000000', everyScope, { ...facts, revoked_at: past }),
      rowFromKey('expired-key-000000000000', everyScope, { ...facts, expires_at: past }),
      rowFromKey('foreign-key-000000000000', everyScope, { ...facts, environment: 'production' }),
    );
    const rejected: Headers[] = [
      {},
      { 'x-api-key': '' },
      { 'x-api-key': ' ' },
      { 'x-api-key': 'unknown-key-000000000000' },
      { 'x-api-key': 'demo-acm' },
      { 'x-api-key': `${demoKeys.acme}0` },
      { 'x-api-key': demoKeys.acme.toUpperCase() },
      { 'x-api-key': 'demo acme key 000000000000' },
      { 'x-api-key': 'x'.repeat(4_000) },
      { 'x-api-key': encodeURIComponent('ключ') },
      { 'x-api-key': [demoKeys.acme, demoKeys.acme] },
      { 'x-api-key': [demoKeys.acme, demoKeys.globex] },
      { 'x-api-key': `${demoKeys.acme}, ${demoKeys.acme}` },
      { authorization: `Bearer ${demoKeys.acme}` },
      { authorization: demoKeys.acme },
      { 'x-api-key': 'revoked-key-000000000000' },
      { 'x-api-key': 'expired-key-000000000000' },
      { 'x-api-key': 'foreign-key-000000000000' },
    ];
    const bodies = new Set<string>();
    for (const headers of rejected) {
      for (const target of [...targets, '/v1/nothing', siteTarget('malformed'), siteTarget('SITE-none')]) {
        const response = await sendRequest(reference, target, headers);
        expect(response.status, JSON.stringify(headers).slice(0, 80)).toBe(403);
        bodies.add(response.body);
      }
    }
    expect(bodies.size).toBe(1);
  });
});

describe('production', () => {
  it('writes no demo data and rejects the demo keys', async () => {
    const path = await freshDatabasePath();
    const reference = await startFresh({ databaseUrl: `file:${path}`, environment: 'production' });
    for (const key of Object.values(demoKeys)) {
      for (const target of targets)
        expect((await sendRequest(reference, target, { 'x-api-key': key })).status).toBe(403);
    }
    const db = await startDatabase(`file:${path}`, async () => {});
    for (const table of ['keys', 'sites', 'conversations'] as const) {
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    }
    await db.destroy();
  });

  it('rejects the demo keys on a database that has them', async () => {
    const databaseUrl = `file:${await freshDatabasePath()}`;
    await (await startFresh({ databaseUrl })).close();
    const reference = await startFresh({ databaseUrl, environment: 'production' });
    expect((await sendRequest(reference, '/v1/health')).status).toBe(403);
  });

  it('accepts keys of its own', async () => {
    const path = await freshDatabasePath();
    const reference = await startFresh({ databaseUrl: `file:${path}`, environment: 'production' });
    const db = await startDatabase(`file:${path}`, async () => {});
    const key = 'prod-key-0000000000000000';
    await db
      .insertInto('keys')
      .values(rowFromKey(key, [], { ...facts, environment: 'production' }))
      .execute();
    await db.destroy();
    expect((await sendRequest(reference, '/v1/health', { 'x-api-key': key })).status).toBe(200);
  });
});
