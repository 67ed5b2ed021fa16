import { retryWhileLocked } from '../database/sqlite.ts';
import type { LinkRow, ReferenceDatabase } from '../database/tables.ts';
import { nameFromKey } from './keys.ts';
import { createToken, decryptKey, digestFromToken, encryptKey } from './link-encryption.ts';

/** One-time links to keys (section 5.8). */
export interface Links {
  /** Whether the link of this token can still show its key. Changes nothing. */
  has(token: string): Promise<boolean>;
  /** Returns the key to exactly one call over all processes, and null to every other. */
  open(token: string): Promise<string | null>;
}

export function createLinks(db: ReferenceDatabase): Links {
  async function readEncrypted(token: string): Promise<string | null> {
    const row = await db
      .selectFrom('links')
      .select('sealed')
      .where('digest', '=', digestFromToken(token))
      .where('expires_at', '>', new Date().toISOString())
      .executeTakeFirst();
    return row?.sealed ?? null;
  }

  return {
    async has(token) {
      return (await readEncrypted(token)) !== null;
    },

    async open(token) {
      const encrypted = await readEncrypted(token);
      if (encrypted === null) return null;
      const key = decryptKey(encrypted, token);
      // Several calls may get this far; only one of them updates the row.
      const { numUpdatedRows } = await retryWhileLocked(() =>
        db
          .updateTable('links')
          .set({ opened_at: new Date().toISOString(), sealed: null })
          .where('digest', '=', digestFromToken(token))
          .where('sealed', 'is not', null)
          .executeTakeFirstOrThrow(),
      );
      return numUpdatedRows === 1n ? key : null;
    },
  };
}

/** A new link to a key: its row, and its token, which is not in the row. */
export function createLink(key: string, createdAtMs: number, ttlMs: number): { token: string; row: LinkRow } {
  const token = createToken();
  const row = {
    digest: digestFromToken(token),
    key_name: nameFromKey(key),
    sealed: encryptKey(key, token),
    created_at: new Date(createdAtMs).toISOString(),
    expires_at: new Date(createdAtMs + ttlMs).toISOString(),
    opened_at: null,
  };
  return { token, row };
}
