import { sql } from 'kysely';
import { DatabaseError, openError } from './errors.ts';
import { migrate, type Seed } from './migrations.ts';
import { connectPostgres, isPostgres } from './postgres.ts';
import { checkReader } from './row-security.ts';
import { configureSqlite, openSqlite, retryWhileLocked } from './sqlite.ts';
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

/** Opens and migrates an existing database. Also rejects if there is none, and creates none. */
export function openDatabase(databaseUrl: string): Promise<ReferenceDatabase> {
  return open(databaseUrl, undefined, true);
}

async function open(
  databaseUrl: string,
  seed: Seed | undefined,
  mustExist: boolean,
): Promise<ReferenceDatabase> {
  let db: ReferenceDatabase | undefined;
  try {
    const isServer = /^postgres(ql)?:/.test(databaseUrl);
    db = isServer ? await connectPostgres(databaseUrl) : openSqlite(databaseUrl, mustExist);
    // Checked before any write: the database may belong to another program.
    if (mustExist) await checkTables(db);
    if (!isServer) await configureSqlite(db);
    await inTransaction(db, async (transaction) => {
      if (isServer) await lockMigrations(transaction);
      await migrate(transaction, seed);
    });
    await checkReader(db);
    return db;
  } catch (error) {
    await db?.destroy();
    // Node, SQLite and Postgres set a code; errors of the seed have none.
    throw error instanceof Error && 'code' in error ? openError(error) : error;
  }
}

async function checkTables(db: ReferenceDatabase): Promise<void> {
  const names = isPostgres(db)
    ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
    : sql<{ name: string }>`select name from sqlite_master where type = 'table'`;
  const { rows } = await retryWhileLocked(() => names.execute(db));
  if (['steps', 'keys'].every((table) => rows.some(({ name }) => name === table))) return;
  throw new DatabaseError(
    'REFERENCE_DATABASE_URL names no database of the reference: start the server on it once',
  );
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
