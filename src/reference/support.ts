import { type ReferenceDatabase, writeTogether } from './database.ts';
import { createKey, nameFromKey, rowFromKey, type Scope, scopes } from './keys.ts';
import { createLink } from './links.ts';
import type { Environment, KeyRow, LinkRow } from './tables.ts';

/** What a partner asks for (section 5.8). Times are ISO 8601 in UTC. */
export interface KeyRequest {
  partnerId: string;
  environment: Environment;
  description: string;
  contact: string;
  scopes: readonly Scope[];
  expiresAt: string | null;
  linkHours: number;
}

/** A key that now opens its partner's data, and the secret of the one-time link that leads to it. */
export interface IssuedKey {
  key: KeyFacts;
  token: string;
  linkExpiresAt: string;
}

/** All that anybody may know about a key. */
export type KeyFacts = Omit<KeyRow, 'digest'>;

export type LinkFacts = Pick<LinkRow, 'created_at' | 'expires_at' | 'opened_at'> & { isOpen: boolean };

/** What the support desk does with keys (section 5, points 8 to 10). Keys are named by their first eight characters. */
export interface Support {
  issue(request: KeyRequest): Promise<IssuedKey>;
  /**
   * Issues another key with the same facts; the first lives on until it is revoked. Without a new expiry the
   * first one's holds. Rejects with a `SupportError` where that has passed, and for an unknown name.
   */
  rotate(name: string, changes: { expiresAt: string | null; linkHours: number }): Promise<IssuedKey>;
  /** Resolves to when the key was revoked, be it earlier; its links show nothing from then on. Rejects as above. */
  revoke(name: string): Promise<string>;
  /** The keys of one partner or of all, by partner and age. */
  list(partnerId?: string): Promise<KeyFacts[]>;
  /** Rejects as above. */
  show(name: string): Promise<{ key: KeyFacts; links: LinkFacts[] }>;
}

/** Why the desk did not do what it was asked. */
export class SupportError extends Error {
  override name = 'SupportError';
}

const HOUR_MS = 3_600_000;

const FACTS = [
  'name',
  'partner_id',
  'environment',
  'description',
  'contact',
  'scopes',
  'created_at',
  'last_used_at',
  'expires_at',
  'revoked_at',
] as const;

/** `now` tells the time in milliseconds since 1970; `newKey` makes a key's text. */
export function createSupport(
  db: ReferenceDatabase,
  { now = Date.now, newKey = createKey }: { now?: () => number; newKey?: () => string } = {},
): Support {
  const moment = () => new Date(now()).toISOString();

  async function readKey(from: ReferenceDatabase, name: string): Promise<KeyFacts> {
    const key = await from.selectFrom('keys').select(FACTS).where('name', '=', name).executeTakeFirst();
    if (!key) throw new SupportError('no key begins with these eight characters');
    return key;
  }

  /** Two keys of one name would be revoked as one, so a name that is taken is drawn again. */
  async function drawKey(transaction: ReferenceDatabase): Promise<string> {
    for (;;) {
      const key = newKey();
      const named = transaction.selectFrom('keys').select('name').where('name', '=', nameFromKey(key));
      if (!(await named.executeTakeFirst())) return key;
    }
  }

  async function write(transaction: ReferenceDatabase, request: KeyRequest): Promise<IssuedKey> {
    const text = await drawKey(transaction);
    const { digest, ...key } = rowFromKey(text, request.scopes, {
      partner_id: request.partnerId,
      environment: request.environment,
      description: request.description,
      contact: request.contact,
      created_at: moment(),
      expires_at: request.expiresAt,
    });
    const { token, row } = createLink(text, now(), request.linkHours * HOUR_MS);
    await transaction
      .insertInto('keys')
      .values({ ...key, digest })
      .execute();
    await transaction.insertInto('links').values(row).execute();
    // Expired links show nothing; now they hold nothing either.
    await transaction
      .updateTable('links')
      .set({ sealed: null })
      .where('expires_at', '<=', moment())
      .execute();
    return { key, token, linkExpiresAt: row.expires_at };
  }

  return {
    issue: (request) => writeTogether(db, (transaction) => write(transaction, request)),

    rotate: (name, { expiresAt, linkHours }) =>
      writeTogether(db, async (transaction) => {
        const first = await readKey(transaction, name);
        const expiry = expiresAt ?? first.expires_at;
        if (expiry !== null && expiry <= moment()) {
          throw new SupportError(`key ${name} expired on ${expiry}; give the new one its own --expires`);
        }
        return write(transaction, {
          partnerId: first.partner_id,
          environment: first.environment,
          description: first.description,
          contact: first.contact,
          scopes: scopesFromKey(first),
          expiresAt: expiry,
          linkHours,
        });
      }),

    revoke: (name) =>
      writeTogether(db, async (transaction) => {
        const { revoked_at } = await readKey(transaction, name);
        if (revoked_at !== null) return revoked_at;
        const revokedAt = moment();
        await transaction
          .updateTable('keys')
          .set({ revoked_at: revokedAt })
          .where('name', '=', name)
          .where('revoked_at', 'is', null)
          .execute();
        await transaction.updateTable('links').set({ sealed: null }).where('key_name', '=', name).execute();
        return revokedAt;
      }),

    list(partnerId) {
      const all = db.selectFrom('keys').select(FACTS).orderBy('partner_id').orderBy('created_at');
      return (partnerId === undefined ? all : all.where('partner_id', '=', partnerId)).execute();
    },

    async show(name) {
      const key = await readKey(db, name);
      const links = await db
        .selectFrom('links')
        .select(['created_at', 'expires_at', 'opened_at', 'sealed'])
        .where('key_name', '=', name)
        .orderBy('created_at')
        .execute();
      return {
        key,
        links: links.map(({ sealed, ...link }) => ({
          ...link,
          isOpen: sealed !== null && link.expires_at > moment(),
        })),
      };
    },
  };
}

function scopesFromKey(key: KeyFacts): Scope[] {
  const words = key.scopes.split(' ');
  return scopes.filter((scope) => words.includes(scope));
}
