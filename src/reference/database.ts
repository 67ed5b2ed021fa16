import { type Kysely, sql } from 'kysely';
import { migrate } from './migrations.ts';
import { isPostgres, startPostgres } from './postgres.ts';
import { checkReader } from './security.ts';
import { startSqlite, untilUnlocked } from './sqlite.ts';
import type { Tables } from './tables.ts';
import { becomeOperator } from './tenant.ts';

export type ReferenceDatabase = Kysely<Tables>;

/** One number for all of this project's migrations; any would do. */
const MIGRATION_LOCK = 7_067_842;

/**
 * Opens the database at `file:…`, `:memory:` or `postgres://…`, creates it where there is none, and brings it up to
 * date. `fill` runs where none ever ran, in the same transaction: however many processes start at once, one fills, and
 * the others see all of it. Rejects with a `DatabaseError` when it cannot be opened or read, or its lock stays held
 * for ten seconds.
 */
export function startDatabase(
  databaseUrl: string,
  fill?: (db: ReferenceDatabase) => Promise<void>,
): Promise<ReferenceDatabase> {
  return open(databaseUrl, fill, false);
}

/** Opens a database that a server or an import has made. Rejects as above, and where there is none, and makes none. */
export function openDatabase(databaseUrl: string): Promise<ReferenceDatabase> {
  return open(databaseUrl, undefined, true);
}

function open(
  databaseUrl: string,
  fill: ((db: ReferenceDatabase) => Promise<void>) | undefined,
  mustExist: boolean,
): Promise<ReferenceDatabase> {
  const start = /^postgres(ql)?:/.test(databaseUrl) ? startPostgres : startSqlite;
  const prepare = async (db: ReferenceDatabase) => {
    await writeTogether(db, async (transaction) => {
      if (isPostgres(transaction)) await lockMigrations(transaction);
      await migrate(transaction, fill);
    });
    await checkReader(db);
  };
  return start(databaseUrl, prepare, mustExist);
}

/**
 * Runs `write` in a transaction that may change every partner's rows: all of it is kept when it resolves,
 * nothing when it rejects or the process dies.
 */
export function writeTogether<T>(
  db: ReferenceDatabase,
  write: (transaction: ReferenceDatabase) => Promise<T>,
): Promise<T> {
  // The write lock first: a transaction that reads and then writes cannot wait for its turn in SQLite.
  const begin = isPostgres(db) ? sql`begin` : sql`begin immediate`;
  return db.connection().execute(async (connection) => {
    await untilUnlocked(() => begin.execute(connection));
    try {
      await becomeOperator(connection);
      const result = await write(connection);
      await sql`commit`.execute(connection);
      return result;
    } catch (error) {
      // The engine may have rolled back by itself, or be gone: the first error is the one to tell.
      await sql`rollback`.execute(connection).catch(() => {});
      throw error;
    }
  });
}

async function lockMigrations(transaction: ReferenceDatabase): Promise<void> {
  await sql`select set_config('lock_timeout', '10s', true)`.execute(transaction);
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
}
