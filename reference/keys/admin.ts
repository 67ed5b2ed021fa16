import { inTransaction } from '../database/database.ts';
import type { Environment, KeyRow, LinkRow, ReferenceDatabase } from '../database/tables.ts';
import { createKey, rowFromKey, type Scope, scopes } from './keys.ts';
import { createLink } from './links.ts';

/** The application of a partner for a key (section 5.8). Times are ISO 8601 in UTC. */
export interface KeyRequest {
  partnerId: string;
  environment: Environment;
  description: string;
  contact: string;
  scopes: readonly Scope[];
  expiresAt: string | null;
  /** Requests per window; null: the usual number. */
  rateLimit?: number | null;
}

/** An active key, and the token of the one-time link to it. */
export interface IssuedKey {
  key: KeyFacts;
  token: string;
  linkExpiresAt: string;
}

/** Everything about a key that is not secret. */
type KeyFacts = Omit<KeyRow, 'digest'>;

/** A key with its links. */
export interface ListedKey {
  key: KeyFacts;
  links: Pick<LinkRow, 'created_at' | 'expires_at' | 'opened_at'>[];
}

/** Administration of keys (section 5, points 8 to 10). A key is named by its first eight characters. */
export interface KeyAdmin {
  issue(request: KeyRequest): Promise<IssuedKey>;
  /** Issues a key without a link, and resolves to the key itself. */
  issueShown(request: KeyRequest): Promise<string>;
  /**
   * Issues another key with the same facts; the first stays valid until it is revoked. Without a new expiry,
   * the first key's applies. Rejects with a `KeyAdminError` if that has passed, and for an unknown name.
   */
  rotate(name: string, expiresAt: string | null): Promise<IssuedKey>;
  /** Closes the key's links. Resolves to the time of the first revocation. Rejects for an unknown name. */
  revoke(name: string): Promise<string>;
  /** The keys of one partner or of all, ordered by partner and creation. */
  list(partnerId?: string): Promise<ListedKey[]>;
}

/** The command cannot be carried out. The message says why. */
export class KeyAdminError extends Error {
  override name = 'KeyAdminError';
}

const LINK_TTL_MS = 24 * 3_600_000;

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
  'rate_limit',
] as const;

/** `now` is in milliseconds since 1970. */
export function createKeyAdmin(
  db: ReferenceDatabase,
  { now = Date.now }: { now?: () => number } = {},
): KeyAdmin {
  const timestamp = () => new Date(now()).toISOString();

  async function readKey(from: ReferenceDatabase, name: string): Promise<KeyFacts> {
    const key = await from.selectFrom('keys').select(FACTS).where('name', '=', name).executeTakeFirst();
    if (!key) throw new KeyAdminError('no key begins with these eight characters');
    return key;
  }

  async function insertKey(transaction: ReferenceDatabase, request: KeyRequest) {
    const text = createKey();
    const row = rowFromKey(text, request.scopes, {
      partner_id: request.partnerId,
      environment: request.environment,
      description: request.description,
      contact: request.contact,
      created_at: timestamp(),
      expires_at: request.expiresAt,
      rate_limit: request.rateLimit ?? null,
    });
    await transaction.insertInto('keys').values(row).execute();
    const { digest, ...key } = row;
    return { text, key };
  }

  async function insertWithLink(transaction: ReferenceDatabase, request: KeyRequest): Promise<IssuedKey> {
    const { text, key } = await insertKey(transaction, request);
    const { token, row } = createLink(text, now(), LINK_TTL_MS);
    await transaction.insertInto('links').values(row).execute();
    // Expired links show nothing; this also deletes their encrypted keys.
    await transaction
      .updateTable('links')
      .set({ sealed: null })
      .where('expires_at', '<=', timestamp())
      .execute();
    return { key, token, linkExpiresAt: row.expires_at };
  }

  return {
    issue: (request) => inTransaction(db, (transaction) => insertWithLink(transaction, request)),

    issueShown: (request) =>
      inTransaction(db, async (transaction) => (await insertKey(transaction, request)).text),

    rotate: (name, expiresAt) =>
      inTransaction(db, async (transaction) => {
        const first = await readKey(transaction, name);
        const expiry = expiresAt ?? first.expires_at;
        if (expiry !== null && expiry <= timestamp()) {
          throw new KeyAdminError(`key ${name} expired on ${expiry}; give the new one its own --expires`);
        }
        return insertWithLink(transaction, {
          partnerId: first.partner_id,
          environment: first.environment,
          description: first.description,
          contact: first.contact,
          scopes: scopesFromKey(first),
          expiresAt: expiry,
          rateLimit: first.rate_limit,
        });
      }),

    revoke: (name) =>
      inTransaction(db, async (transaction) => {
        const { revoked_at } = await readKey(transaction, name);
        if (revoked_at !== null) return revoked_at;
        const revokedAt = timestamp();
        await transaction
          .updateTable('keys')
          .set({ revoked_at: revokedAt })
          .where('name', '=', name)
          .where('revoked_at', 'is', null)
          .execute();
        await transaction.updateTable('links').set({ sealed: null }).where('key_name', '=', name).execute();
        return revokedAt;
      }),

    async list(partnerId) {
      const all = db.selectFrom('keys').select(FACTS).orderBy('partner_id').orderBy('created_at');
      const keys = await (partnerId === undefined ? all : all.where('partner_id', '=', partnerId)).execute();
      const links = await db
        .selectFrom('links')
        .select(['key_name', 'created_at', 'expires_at', 'opened_at'])
        .orderBy('created_at')
        .execute();
      return keys.map((key) => ({ key, links: links.filter(({ key_name }) => key_name === key.name) }));
    },
  };
}

function scopesFromKey(key: KeyFacts): Scope[] {
  const words = key.scopes.split(' ');
  return scopes.filter((scope) => words.includes(scope));
}
