import { sql } from 'kysely';
import { migrate, type Seed } from './migrations.ts';
import { isPostgres, startPostgres } from './postgres.ts';
import { checkReader } from './row-security.ts';
import { retryWhileLocked, startSqlite } from './sqlite.ts';
import type { ReferenceDatabase } from './tables.ts';
import { becomeOperator } from './tenant.ts';

/** Identifies the lock of these migrations; the number is arbitrary. */
const MIGRATION_LOCK = 7_067_842;

/**
 * Opens the database at `file:…`, `:memory:` or `postgres://…`, creates it if needed, and migrates it. `seed`
 * runs once per database, in the transaction of the migrations: of processes that start concurrently, one
 * seeds and the others see all of it. Rejects with a `DatabaseError` when the database cannot be opened, or
 * stays locked for ten seconds.
 */
export function startDatabase(databaseUrl: string, seed?: Seed): Promise<ReferenceDatabase> {
  return open(databaseUrl, seed, false);
}

/** Opens and migrates an existing database. Also rejects where there is none, and creates none. */
export function openDatabase(databaseUrl: string): Promise<ReferenceDatabase> {
  return open(databaseUrl, undefined, true);
}

function open(databaseUrl: string, seed: Seed | undefined, mustExist: boolean): Promise<ReferenceDatabase> {
  const start = /^postgres(ql)?:/.test(databaseUrl) ? startPostgres : startSqlite;
  const prepare = async (db: ReferenceDatabase) => {
    await inTransaction(db, async (transaction) => {
      if (isPostgres(transaction)) await lockMigrations(transaction);
      await migrate(transaction, seed);
    });
    await checkReader(db);
  };
  return start(databaseUrl, prepare, mustExist);
}

/** Runs `write` in a transaction that may change the rows of every partner. Rolls back when it rejects. */
export function inTransaction<T>(
  db: ReferenceDatabase,
  write: (transaction: ReferenceDatabase) => Promise<T>,
): Promise<T> {
  // SQLite cannot wait for the write lock once a transaction has read, so it is taken first.
  const begin = isPostgres(db) ? sql`begin` : sql`begin immediate`;
  return db.connection().execute(async (connection) => {
    await retryWhileLocked(() => begin.execute(connection));
    try {
      await becomeOperator(connection);
      const result = await write(connection);
      await sql`commit`.execute(connection);
      return result;
    } catch (error) {
      // The first error is the one to report: the engine may have rolled back already, or be gone.
      await sql`rollback`.execute(connection).catch(() => {});
      throw error;
    }
  });
}

async function lockMigrations(transaction: ReferenceDatabase): Promise<void> {
  await sql`select set_config('lock_timeout', '10s', true)`.execute(transaction);
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
}
