import { timingSafeEqual } from 'node:crypto';
import { isBusy } from '../database/sqlite.ts';
import type { Environment, ReferenceDatabase } from '../database/tables.ts';
import { digestFromKey, nameFromKey } from './keys.ts';

/** The partner behind a key, and what the key grants (section 5, points 5 and 6). */
export interface Caller {
  partnerId: string;
  /** The key's public name, by which requests are counted. */
  keyName: string;
  scopes: ReadonlySet<string>;
  /** Requests per window; null: the usual number. */
  rateLimit: number | null;
}

export interface Keyring {
  /**
   * The caller for the values of `x-api-key`; null, without a reason, unless they are exactly one valid key.
   * Returns synchronously for a key read within the last 500 ms, else after one query.
   */
  identify(values: readonly string[] | undefined): Caller | null | Promise<Caller | null>;
  /** Resolves when no update of a last use is in progress. */
  settle(): Promise<void>;
}

export interface KeyringOptions {
  /** Called when a last use cannot be written; the request succeeds anyway. */
  onFault?: ((error: unknown) => void) | undefined;
}

/** A row of `keys`, by name. Whether a caller has the whole key is decided by the digest. */
interface Entry {
  caller: Caller;
  digest: Buffer;
  expiresAtMs: number;
  lastUsedAtMs: number;
  readAtMs: number;
}

const KEY_SHAPE = /^[\x21-\x7e]{16,256}$/;

/** Half of the second in which a revocation takes effect. */
const ENTRY_TTL_MS = 500;
const LAST_USE_INTERVAL_MS = 60_000;

/** Compared with for unknown names, so that they take as long as a known name with a wrong secret. */
const NO_DIGEST = Buffer.alloc(32);

/** Accepts the keys of one environment. */
export function createKeyring(
  db: ReferenceDatabase,
  environment: Environment,
  { onFault }: KeyringOptions = {},
): Keyring {
  // Bounded: only names that the database has are stored.
  const entries = new Map<string, Entry>();
  const reads = new Map<string, Promise<Entry | null>>();
  const updates = new Set<Promise<unknown>>();

  const select = db
    .selectFrom('keys')
    .select(['digest', 'partner_id', 'scopes', 'expires_at', 'revoked_at', 'last_used_at', 'rate_limit'])
    .where('environment', '=', environment);

  async function readEntry(name: string): Promise<Entry | null> {
    const readAtMs = Date.now();
    const row = await select.where('name', '=', name).executeTakeFirst();
    if (!row || row.revoked_at !== null) {
      entries.delete(name);
      return null;
    }
    const entry: Entry = {
      caller: {
        partnerId: row.partner_id,
        keyName: name,
        scopes: new Set(row.scopes.split(' ')),
        rateLimit: row.rate_limit,
      },
      digest: Buffer.from(row.digest, 'hex'),
      expiresAtMs: row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at),
      lastUsedAtMs: row.last_used_at === null ? 0 : Date.parse(row.last_used_at),
      readAtMs,
    };
    entries.set(name, entry);
    return entry;
  }

  /** Concurrent requests with the same name share one query. */
  function readOnce(name: string): Promise<Entry | null> {
    const current = reads.get(name);
    if (current) return current;
    const started = readEntry(name).finally(() => reads.delete(name));
    reads.set(name, started);
    return started;
  }

  function callerFromEntry(entry: Entry | null, digest: Buffer): Caller | null {
    const isSame = timingSafeEqual(entry?.digest ?? NO_DIGEST, digest);
    if (!entry || !isSame || entry.expiresAtMs <= Date.now()) return null;
    if (Date.now() - entry.lastUsedAtMs >= LAST_USE_INTERVAL_MS) updateLastUse(entry);
    return entry.caller;
  }

  /** Runs in the background. The condition limits several processes to one update per minute together. */
  function updateLastUse(entry: Entry): void {
    const usedAtMs = Date.now();
    entry.lastUsedAtMs = usedAtMs;
    const update = db
      .updateTable('keys')
      .set({ last_used_at: new Date(usedAtMs).toISOString() })
      .where('name', '=', entry.caller.keyName)
      .where((where) =>
        where.or([
          where('last_used_at', 'is', null),
          where('last_used_at', '<=', new Date(usedAtMs - LAST_USE_INTERVAL_MS).toISOString()),
        ]),
      )
      .executeTakeFirst()
      .then(
        () => {},
        // If the database is locked, the update is tried again after the entry is next read.
        (error: unknown) => isBusy(error) || onFault?.(error),
      )
      .finally(() => updates.delete(update));
    updates.add(update);
  }

  return {
    identify(values) {
      const [key, second] = values ?? [];
      if (key === undefined || second !== undefined || !KEY_SHAPE.test(key)) return null;
      const name = nameFromKey(key);
      const digest = Buffer.from(digestFromKey(key), 'hex');
      const entry = entries.get(name);
      // Negative after the clock was set back: such an entry is read again.
      const ageMs = entry ? Date.now() - entry.readAtMs : -1;
      if (entry && ageMs >= 0 && ageMs < ENTRY_TTL_MS) return callerFromEntry(entry, digest);
      return readOnce(name).then((read) => callerFromEntry(read, digest));
    },

    async settle() {
      await Promise.all(updates);
    },
  };
}
