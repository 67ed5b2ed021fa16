import { describe, expect, it } from 'vitest';
import { createKey } from '../../../reference/keys/keys.ts';
import {
  createToken,
  decryptKey,
  digestFromToken,
  encryptKey,
} from '../../../reference/keys/link-encryption.ts';
import { createLinks } from '../../../reference/keys/links.ts';
import { onEngines, openDatabase } from '../support/database.ts';
import { issueLink } from '../support/keys.ts';

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
const HOUR_MS = 3_600_000;

async function openWithLink(databaseUrl: string) {
  const clock = { ms: START_MS };
  const now = () => clock.ms;
  const link = await issueLink(databaseUrl, now);
  const db = await openDatabase(databaseUrl);
  return { ...link, clock, now, db, links: createLinks(db, { now }) };
}

describe('the encryption of a link', () => {
  it('needs the token to decrypt', () => {
    const [key, token] = [createKey(), createToken()];
    const encrypted = encryptKey(key, token);
    expect(decryptKey(encrypted, token)).toBe(key);
    expect(encryptKey(key, token)).not.toBe(encrypted);
    for (const other of [createToken(), '', digestFromToken(token)]) {
      expect(() => decryptKey(encrypted, other)).toThrow();
    }
  });
});

onEngines('links', (freshUrl) => {
  it('expire after 24 hours, to the millisecond', async () => {
    const { clock, links, token } = await openWithLink(await freshUrl());
    clock.ms += 24 * HOUR_MS - 1;
    expect(await links.has(token)).toBe(true);
    clock.ms += 1;
    expect([await links.has(token), await links.open(token)]).toEqual([false, null]);
  });

  it('lose their encrypted key when they have expired and another is issued', async () => {
    const url = await freshUrl();
    const { db, clock, now } = await openWithLink(url);
    clock.ms += 24 * HOUR_MS;
    await issueLink(url, now);
    const sealed = await db.selectFrom('links').select('sealed').orderBy('created_at').execute();
    expect(sealed.map((link) => link.sealed === null)).toEqual([true, false]);
  });
});
