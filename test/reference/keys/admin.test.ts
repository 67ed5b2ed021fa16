import { describe, expect, it } from 'vitest';
import { createKeyAdmin, KeyAdminError } from '../../../src/reference/keys/admin.ts';
import { rowFromKey } from '../../../src/reference/keys/keys.ts';
import { engines, openDatabase } from '../support/database.ts';
import { request } from '../support/keys.ts';

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');

describe.each(engines)('support on $name', ({ isMissing, freshUrl }) => {
  const onEngine = it.skipIf(isMissing);

  onEngine('draws a name again that another key has', async () => {
    const db = await openDatabase(await freshUrl());
    const names = ['aaaaaaaa', 'aaaaaaaa', 'aaaaaaaa', 'bbbbbbbb'];
    const support = createKeyAdmin(db, { newKey: () => `${names.shift()}${'0'.repeat(32)}` });
    expect((await support.issue(request)).key.name).toBe('aaaaaaaa');
    expect((await support.issue(request)).key.name).toBe('bbbbbbbb');
  });

  onEngine('keeps a name to one key, whoever writes it', async () => {
    const db = await openDatabase(await freshUrl());
    const row = (secret: string) =>
      rowFromKey(`samename${secret.repeat(32)}`, [], {
        partner_id: 'acme',
        environment: 'test',
        description: 'a test',
        contact: 'ops@acme-property.example',
        created_at: '2024-01-01T00:00:00.000Z',
      });
    await db.insertInto('keys').values(row('a')).execute();
    await expect(db.insertInto('keys').values(row('b')).execute()).rejects.toThrow(/unique.*name/i);
    expect(await db.selectFrom('keys').select('digest').execute()).toEqual([{ digest: row('a').digest }]);
  });

  onEngine('keeps an expiry when it rotates, unless it has passed or another is given', async () => {
    const clock = { ms: START_MS };
    const support = createKeyAdmin(await openDatabase(await freshUrl()), { now: () => clock.ms });
    const expiresAt = '2026-03-02T00:00:00.000Z';
    const { key } = await support.issue({ ...request, expiresAt });
    const same = { expiresAt: null, linkHours: 24 };
    expect((await support.rotate(key.name, same)).key.expires_at).toBe(expiresAt);
    clock.ms = Date.parse(expiresAt);
    await expect(support.rotate(key.name, same)).rejects.toThrow(KeyAdminError);
    const later = '2027-01-01T00:00:00.000Z';
    expect((await support.rotate(key.name, { ...same, expiresAt: later })).key.expires_at).toBe(later);
  });

  onEngine('replaces a key that is revoked already', async () => {
    const support = createKeyAdmin(await openDatabase(await freshUrl()));
    const { key } = await support.issue(request);
    await support.revoke(key.name);
    const second = await support.rotate(key.name, { expiresAt: null, linkHours: 24 });
    expect(second.key).toMatchObject({ partner_id: 'acme', revoked_at: null });
  });

  onEngine('revokes one key and its link, once', async () => {
    const clock = { ms: START_MS };
    const support = createKeyAdmin(await openDatabase(await freshUrl()), { now: () => clock.ms });
    const { key } = await support.issue(request);
    const other = await support.issue(request);
    expect((await support.show(key.name)).links).toMatchObject([{ isOpen: true, opened_at: null }]);
    const revokedAt = await support.revoke(key.name);
    expect(revokedAt).toBe('2026-03-01T12:00:00.000Z');
    clock.ms += 1_000;
    expect(await support.revoke(key.name)).toBe(revokedAt);
    expect((await support.show(key.name)).links).toMatchObject([{ isOpen: false, opened_at: null }]);
    expect(await support.show(other.key.name)).toMatchObject({
      key: { revoked_at: null },
      links: [{ isOpen: true }],
    });
  });

  onEngine('keeps nothing of an issue that fails halfway', async () => {
    const db = await openDatabase(await freshUrl());
    await db.schema.alterTable('links').renameTo('gone').execute();
    await expect(createKeyAdmin(db).issue(request)).rejects.toThrow();
    expect(await db.selectFrom('keys').selectAll().execute()).toEqual([]);
  });

  onEngine('lists partners in order, and tells no digest', async () => {
    const support = createKeyAdmin(await openDatabase(await freshUrl()));
    for (const partnerId of ['globex', 'acme', 'globex']) await support.issue({ ...request, partnerId });
    const all = await support.list();
    expect(all.map((key) => key.partner_id)).toEqual(['acme', 'globex', 'globex']);
    expect((await support.list('globex')).length).toBe(2);
    for (const key of all) expect(JSON.stringify(key)).not.toMatch(/[0-9a-f]{64}|digest/);
  });
});
