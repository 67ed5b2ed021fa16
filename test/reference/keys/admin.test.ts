import { expect, it } from 'vitest';
import { createKeyAdmin, KeyAdminError } from '../../../reference/keys/admin.ts';
import { onEngines, openDatabase } from '../support/database.ts';
import { request } from '../support/keys.ts';

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');

onEngines('the key admin', (freshUrl) => {
  it('keeps the expiry on rotation, unless it has passed or another is given', async () => {
    const clock = { ms: START_MS };
    const admin = createKeyAdmin(await openDatabase(await freshUrl()), { now: () => clock.ms });
    const expiresAt = '2026-03-02T00:00:00.000Z';
    const { key } = await admin.issue({ ...request, expiresAt });
    expect((await admin.rotate(key.name, null)).key.expires_at).toBe(expiresAt);
    clock.ms = Date.parse(expiresAt);
    await expect(admin.rotate(key.name, null)).rejects.toThrow(KeyAdminError);
    const later = '2027-01-01T00:00:00.000Z';
    expect((await admin.rotate(key.name, later)).key.expires_at).toBe(later);
  });

  it('writes nothing when an issue fails halfway', async () => {
    const db = await openDatabase(await freshUrl());
    await db.schema.alterTable('links').renameTo('gone').execute();
    await expect(createKeyAdmin(db).issue(request)).rejects.toThrow();
    expect(await db.selectFrom('keys').selectAll().execute()).toEqual([]);
  });

  it('deletes the encrypted key of an expired link when another is issued', async () => {
    const clock = { ms: START_MS };
    const db = await openDatabase(await freshUrl());
    const admin = createKeyAdmin(db, { now: () => clock.ms });
    await admin.issue(request);
    clock.ms += 24 * 3_600_000;
    await admin.issue(request);
    const sealed = await db.selectFrom('links').select('sealed').orderBy('created_at').execute();
    expect(sealed.map((link) => link.sealed === null)).toEqual([true, false]);
  });
});
