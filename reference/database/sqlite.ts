import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Kysely, SqliteDialect, sql } from 'kysely';
import Sqlite from 'libsql';
import { missingDatabaseError, openError } from './errors.ts';
import { isPostgres } from './postgres.ts';
import { checkFile, createDatabaseFile, explainFile } from './sqlite-file.ts';
import { createStatements } from './statements.ts';
import type { ReferenceDatabase, Tables } from './tables.ts';

const LOCK_TIMEOUT_MS = 10_000;
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens `file:…` or `:memory:` and runs `prepare`; from then on writers wait up to five seconds for each
 * other. Creates the file and its folder, unless it `mustExist`. Rejects with a `DatabaseError` when the file
 * cannot be opened, or must exist and has no tables of the reference.
 */
export async function startSqlite(
  databaseUrl: string,
  prepare: (db: ReferenceDatabase) => Promise<void>,
  mustExist: boolean,
): Promise<ReferenceDatabase> {
  if (databaseUrl === ':memory:') {
    if (mustExist) throw missingDatabaseError('no other process can read :memory:');
    return openSqlite(databaseUrl, prepare, mustExist);
  }
  const path = pathFromFileUrl(databaseUrl);
  try {
    if (mustExist) checkFile(path);
    else createDatabaseFile(path);
    return await openSqlite(path, prepare, mustExist);
  } catch (error) {
    // Node and SQLite set a code; errors that `prepare` itself throws have none.
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw openError(error, (code, message) => explainFile(path, code, message));
  }
}

async function openSqlite(
  path: string,
  prepare: (db: ReferenceDatabase) => Promise<void>,
  mustExist: boolean,
): Promise<ReferenceDatabase> {
  const database = createStatements(new Sqlite(path));
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  try {
    // Checked before any write: the file may belong to another program.
    if (mustExist && !(await retryWhileLocked(() => hasTables(db)))) {
      throw missingDatabaseError(`${path} has no tables of it`);
    }
    await retryWhileLocked(() => sql`pragma journal_mode = wal`.execute(db));
    // A power cut must not undo a revocation or the opening of a link.
    await sql`pragma synchronous = full`.execute(db);
    await prepare(db);
    // Moves the new tables from the -wal file into the database, so that a copy of the one file is complete.
    await sql`pragma wal_checkpoint(passive)`.execute(db);
    await sql`pragma busy_timeout = ${sql.lit(BUSY_TIMEOUT_MS)}`.execute(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

async function hasTables(db: ReferenceDatabase): Promise<boolean> {
  const found = sql`select name from sqlite_master where type = 'table' and name in ('steps', 'keys')`;
  return (await found.execute(db)).rows.length === 2;
}

/**
 * Retries while the database is locked, for up to ten seconds. SQLite's own busy timeout would block the
 * thread, and the lock may be held by another server in this process.
 */
export async function retryWhileLocked<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      await delay(10);
    }
  }
}

/**
 * Runs one write that rejects (see `isBusy`) when SQLite is locked: waiting would block the thread, for as
 * long as an import takes. On Postgres it waits.
 */
export async function writeWithoutWaiting<T>(
  db: ReferenceDatabase,
  write: (connection: ReferenceDatabase) => Promise<T>,
): Promise<T> {
  if (isPostgres(db)) return write(db);
  return db.connection().execute(async (connection) => {
    await sql`pragma busy_timeout = 0`.execute(connection);
    try {
      return await write(connection);
    } finally {
      await sql`pragma busy_timeout = ${sql.lit(BUSY_TIMEOUT_MS)}`.execute(connection);
    }
  });
}

/** Whether a write failed because another one holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

/** The absolute path of `file:a/b.db`, `file:/a/b.db`, `file:///a/b.db`; only the last is percent-encoded. */
function pathFromFileUrl(databaseUrl: string): string {
  if (!databaseUrl.startsWith('file://')) return resolve(databaseUrl.slice('file:'.length));
  try {
    return fileURLToPath(databaseUrl);
  } catch (error) {
    throw openError(error, (_, message) => [message, 'set file:///PATH, percent-encoded']);
  }
}
