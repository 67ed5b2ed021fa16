import { timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import { digestFromKey, nameFromKey } from './keys.ts';
import { isBusy, writeAtOnce } from './sqlite.ts';
import type { Environment, Tables } from './tables.ts';

/** Whose request it is, and what its key opens (section 5, points 5 and 6). */
export interface Caller {
  partnerId: string;
  /** The key's public name, by which its use is counted. */
  keyName: string;
  scopes: ReadonlySet<string>;
}

export interface Keyring {
  /**
   * The caller behind the values of `x-api-key`; null, without a reason, for anything but one living key.
   * Answers at once for a key that was read within the last half second, else after one query.
   */
  identify(values: readonly string[] | undefined): Caller | null | Promise<Caller | null>;
  /** Resolves when no note of a key's use is being written. */
  settle(): Promise<void>;
}

export interface KeyringOptions {
  /** The time in milliseconds since 1970. */
  now?: (() => number) | undefined;
  /** Hears why a key's use could not be noted; its caller is served all the same. */
  onFault?: ((error: unknown) => void) | undefined;
}

/** A key as it was read, for every caller who names it: whether it is theirs, the digest says. */
interface Entry {
  caller: Caller;
  digest: Buffer;
  expiresAtMs: number;
  lastUsedAtMs: number;
  readAtMs: number;
}

const KEY_SHAPE = /^[\x21-\x7e]{16,256}$/;

/** Half of the second in which a revocation takes effect, so that even a clock set back keeps the promise. */
const ENTRY_LIFE_MS = 500;
const USE_NOTED_EVERY_MS = 60_000;

/** Compared with where a name is unknown, so that this takes as long as a known name with a wrong secret. */
const NO_DIGEST = Buffer.alloc(32);

/** Knows the keys of one environment; those of the other do not exist for it. */
export function createKeyring(
  db: Kysely<Tables>,
  environment: Environment,
  { now = Date.now, onFault }: KeyringOptions = {},
): Keyring {
  // Only names that the database knows get in, so callers cannot make this grow.
  const entries = new Map<string, Entry>();
  const reading = new Map<string, Promise<Entry | null>>();
  const noting = new Set<Promise<unknown>>();

  const select = db
    .selectFrom('keys')
    .select(['digest', 'partner_id', 'scopes', 'expires_at', 'revoked_at', 'last_used_at'])
    .where('environment', '=', environment);

  async function readEntry(name: string): Promise<Entry | null> {
    const readAtMs = now();
    const row = await select.where('name', '=', name).executeTakeFirst();
    if (!row || row.revoked_at !== null) {
      entries.delete(name);
      return null;
    }
    const entry: Entry = {
      caller: { partnerId: row.partner_id, keyName: name, scopes: new Set(row.scopes.split(' ')) },
      digest: Buffer.from(row.digest, 'hex'),
      expiresAtMs: row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at),
      lastUsedAtMs: row.last_used_at === null ? 0 : Date.parse(row.last_used_at),
      readAtMs,
    };
    entries.set(name, entry);
    return entry;
  }

  /** Callers who name one key at one time share its reading. */
  function readOnce(name: string): Promise<Entry | null> {
    const running = reading.get(name);
    if (running) return running;
    const started = readEntry(name).finally(() => reading.delete(name));
    reading.set(name, started);
    return started;
  }

  function callerFromEntry(entry: Entry | null, digest: Buffer): Caller | null {
    const isSame = timingSafeEqual(entry?.digest ?? NO_DIGEST, digest);
    if (!entry || !isSame || entry.expiresAtMs <= now()) return null;
    if (now() - entry.lastUsedAtMs >= USE_NOTED_EVERY_MS) noteUse(entry);
    return entry.caller;
  }

  /** Runs beside the request: nobody waits for it. Its condition keeps several processes to one note a minute. */
  function noteUse(entry: Entry): void {
    const usedAtMs = now();
    entry.lastUsedAtMs = usedAtMs;
    const noted = writeAtOnce(db, (connection) =>
      connection
        .updateTable('keys')
        .set({ last_used_at: new Date(usedAtMs).toISOString() })
        .where('name', '=', entry.caller.keyName)
        .where((where) =>
          where.or([
            where('last_used_at', 'is', null),
            where('last_used_at', '<=', new Date(usedAtMs - USE_NOTED_EVERY_MS).toISOString()),
          ]),
        )
        .executeTakeFirst(),
    )
      .then(
        () => {},
        // Where somebody else is writing, the next reading of the entry tries again.
        (error: unknown) => isBusy(error) || onFault?.(error),
      )
      .finally(() => noting.delete(noted));
    noting.add(noted);
  }

  return {
    identify(values) {
      const [key, second] = values ?? [];
      if (key === undefined || second !== undefined || !KEY_SHAPE.test(key)) return null;
      const name = nameFromKey(key);
      const digest = Buffer.from(digestFromKey(key), 'hex');
      const entry = entries.get(name);
      const ageMs = entry ? now() - entry.readAtMs : -1;
      if (entry && ageMs >= 0 && ageMs < ENTRY_LIFE_MS) return callerFromEntry(entry, digest);
      return readOnce(name).then((read) => callerFromEntry(read, digest));
    },

    async settle() {
      await Promise.all(noting);
    },
  };
}
