import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../../src/reference/data/demo-ids.ts';
import { startDatabase } from '../../../src/reference/database/database.ts';
import { rowFromKey, type Scope } from '../../../src/reference/keys/keys.ts';
import { freshDatabasePath } from '../support/database.ts';
import { ask, contextTarget, type Headers, siteTarget, startFresh } from '../support/server.ts';

const facts = {
  partner_id: 'acme',
  environment: 'test',
  description: 'a test',
  contact: 'ops@acme-property.example',
  created_at: '2024-01-01T00:00:00.000Z',
} as const;

const everyScope: Scope[] = ['site:read', 'conversation:read'];
const targets = ['/v1/health', siteTarget(demoSites().main), contextTarget(demoConversations.main)];

/** A server on a database that also knows the given keys. */
async function startWith(...rows: ReturnType<typeof rowFromKey>[]) {
  const path = await freshDatabasePath();
  const reference = await startFresh({ databaseUrl: `file:${path}` });
  const db = await startDatabase(`file:${path}`, async () => {});
  await db.insertInto('keys').values(rows).execute();
  await db.destroy();
  return reference;
}

describe('keys', () => {
  it('open all that their scopes name', async () => {
    const reference = await startFresh();
    for (const target of targets) expect((await ask(reference, target)).status, target).toBe(200);
  });

  it('are refused with one and the same 403, whatever is wrong with them', async () => {
    const reference = await startWith(
      rowFromKey('revoked-key-000000000000', everyScope, {
        ...facts,
        revoked_at: '2024-02-01T00:00:00.000Z',
      }),
      rowFromKey('expired-key-000000000000', everyScope, {
        ...facts,
        expires_at: '2024-02-01T00:00:00.000Z',
      }),
      rowFromKey('foreign-key-000000000000', everyScope, { ...facts, environment: 'production' }),
    );
    const refused: Headers[] = [
      {},
      { 'x-api-key': '' },
      { 'x-api-key': ' ' },
      { 'x-api-key': 'unknown-key-000000000000' },
      { 'x-api-key': 'demo-acm' },
      { 'x-api-key': `${demoKeys.acme}0` },
      { 'x-api-key': demoKeys.acme.toUpperCase() },
      { 'x-api-key': 'demo acme key 000000000000' },
      { 'x-api-key': 'x'.repeat(4_000) },
      {
        'x-api-key': 'ключ'
          .split('')
          .map((c) => encodeURIComponent(c))
          .join(''),
      },
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
    for (const headers of refused) {
      for (const target of [...targets, '/v1/nothing', siteTarget('malformed'), siteTarget('SITE-none')]) {
        const answer = await ask(reference, target, headers);
        expect(answer.status, JSON.stringify(headers).slice(0, 80)).toBe(403);
        bodies.add(answer.body);
      }
    }
    expect(bodies.size).toBe(1);
  });

  it('live until they expire', async () => {
    const key = 'lasting-key-000000000000';
    const reference = await startWith(
      rowFromKey(key, everyScope, { ...facts, expires_at: '2999-01-01T00:00:00.000Z' }),
    );
    expect((await ask(reference, '/v1/health', { 'x-api-key': key })).status).toBe(200);
  });

  it('are gated by scopes, and a missing one differs in its problem type only', async () => {
    const keys = {
      site: 'siteonly-key-00000000000',
      conversation: 'talkonly-key-00000000000',
      none: 'noscopes-key-00000000000',
    };
    const reference = await startWith(
      rowFromKey(keys.site, ['site:read'], facts),
      rowFromKey(keys.conversation, ['conversation:read'], facts),
      rowFromKey(keys.none, [], facts),
    );
    const statuses = async (key: string) =>
      Promise.all(targets.map(async (target) => (await ask(reference, target, { 'x-api-key': key })).status));
    expect(await statuses(keys.site)).toEqual([200, 200, 403]);
    expect(await statuses(keys.conversation)).toEqual([200, 403, 200]);
    expect(await statuses(keys.none)).toEqual([200, 403, 403]);

    const lacking = await ask(reference, siteTarget(demoSites().main), { 'x-api-key': keys.none });
    const unknown = await ask(reference, siteTarget(demoSites().main), {});
    const { type: lackingType, ...lackingRest } = JSON.parse(lacking.body);
    const { type: unknownType, ...unknownRest } = JSON.parse(unknown.body);
    expect(lackingRest).toEqual(unknownRest);
    expect(lackingType).not.toBe(unknownType);
    // The scope comes before the id, so a key without it cannot even probe for what is well-formed.
    expect((await ask(reference, siteTarget('malformed'), { 'x-api-key': keys.none })).status).toBe(403);
  });

  it('stand nowhere in the database', async () => {
    const path = await freshDatabasePath();
    const reference = await startFresh({ databaseUrl: `file:${path}` });
    for (const target of targets) await ask(reference, target);
    const bytes: Buffer[] = [];
    for (const file of await readdir(dirname(path))) bytes.push(await readFile(join(dirname(path), file)));
    for (const key of Object.values(demoKeys)) {
      // The first eight characters are there, so the search would find a ninth.
      expect(bytes.some((file) => file.includes(key.slice(0, 8)))).toBe(true);
      expect(bytes.some((file) => file.includes(key.slice(0, 9)))).toBe(false);
    }
  });
});

describe('production', () => {
  it('makes no demo data and refuses the demo keys', async () => {
    const path = await freshDatabasePath();
    const reference = await startFresh({ databaseUrl: `file:${path}`, environment: 'production' });
    for (const key of Object.values(demoKeys)) {
      for (const target of targets)
        expect((await ask(reference, target, { 'x-api-key': key })).status).toBe(403);
    }
    const db = await startDatabase(`file:${path}`, async () => {});
    for (const table of ['keys', 'sites', 'conversations'] as const) {
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    }
    await db.destroy();
  });

  it('refuses the demo keys also over a database that has them', async () => {
    const databaseUrl = `file:${await freshDatabasePath()}`;
    await (await startFresh({ databaseUrl })).close();
    const reference = await startFresh({ databaseUrl, environment: 'production' });
    expect((await ask(reference, '/v1/health')).status).toBe(403);
  });

  it('serves its own keys', async () => {
    const path = await freshDatabasePath();
    const reference = await startFresh({ databaseUrl: `file:${path}`, environment: 'production' });
    const db = await startDatabase(`file:${path}`, async () => {});
    const key = 'prod-key-0000000000000000';
    await db
      .insertInto('keys')
      .values(rowFromKey(key, [], { ...facts, environment: 'production' }))
      .execute();
    await db.destroy();
    expect((await ask(reference, '/v1/health', { 'x-api-key': key })).status).toBe(200);
  });
});
