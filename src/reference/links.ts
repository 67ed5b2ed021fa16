import type { Kysely } from 'kysely';
import { nameFromKey } from './keys.ts';
import { createToken, digestFromToken, keyFromSealed, sealedFromKey } from './link-seal.ts';
import { untilUnlocked, writeAtOnce } from './sqlite.ts';
import type { LinkRow, Tables } from './tables.ts';

/** One-time links (section 5.8), as the pages behind them use them. */
export interface Links {
  /** Whether the token's link has its key still to show. Uses nothing up, and tells used, expired and unknown alike. */
  has(token: string): Promise<boolean>;
  /** The key behind the token: for one call out of all that ever ask, whichever process they ask. Null for the others. */
  open(token: string): Promise<string | null>;
}

export interface LinksOptions {
  /** The time in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

export function createLinks(db: Kysely<Tables>, { now = Date.now }: LinksOptions = {}): Links {
  async function readSealed(token: string): Promise<string | null> {
    const row = await db
      .selectFrom('links')
      .select('sealed')
      .where('digest', '=', digestFromToken(token))
      .where('expires_at', '>', new Date(now()).toISOString())
      .executeTakeFirst();
    return row?.sealed ?? null;
  }

  return {
    async has(token) {
      return (await readSealed(token)) !== null;
    },

    async open(token) {
      const sealed = await readSealed(token);
      if (sealed === null) return null;
      const key = keyFromSealed(sealed, token);
      // However many hold the sealed key by now, the database lets one of them take it away.
      const { numUpdatedRows } = await untilUnlocked(() =>
        writeAtOnce(db, (connection) =>
          connection
            .updateTable('links')
            .set({ opened_at: new Date(now()).toISOString(), sealed: null })
            .where('digest', '=', digestFromToken(token))
            .where('sealed', 'is not', null)
            .executeTakeFirstOrThrow(),
        ),
      );
      return numUpdatedRows === 1n ? key : null;
    },
  };
}

/** A new link to a key: its row, and the token that opens it, which is not in the row. Times in milliseconds. */
export function createLink(
  key: string,
  createdAtMs: number,
  lifeMs: number,
): { token: string; row: LinkRow } {
  const token = createToken();
  const row = {
    digest: digestFromToken(token),
    key_name: nameFromKey(key),
    sealed: sealedFromKey(key, token),
    created_at: new Date(createdAtMs).toISOString(),
    expires_at: new Date(createdAtMs + lifeMs).toISOString(),
    opened_at: null,
  };
  return { token, row };
}
