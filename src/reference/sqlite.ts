import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Kysely, SqliteDialect, sql } from 'kysely';
import Sqlite from 'libsql';
import { isPostgres } from './postgres.ts';
import { createStatements } from './statements.ts';
import type { Tables } from './tables.ts';

const LOCK_PATIENCE_MS = 10_000;
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens `file:…`, whose folder it makes, or `:memory:`, brings it up to date with `prepare`, and then lets
 * writers wait five seconds for each other. Rejects when the file cannot be opened.
 */
export async function startSqlite(
  databaseUrl: string,
  prepare: (db: Kysely<Tables>) => Promise<void>,
): Promise<Kysely<Tables>> {
  const path = databaseUrl === ':memory:' ? databaseUrl : pathFromFileUrl(databaseUrl);
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const database = createStatements(new Sqlite(path));
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  try {
    await untilUnlocked(() => sql`pragma journal_mode = wal`.execute(db));
    // A revocation and the opening of a link are not undone by a power cut.
    await sql`pragma synchronous = full`.execute(db);
    await prepare(db);
    // What was just made goes into the file itself, so that a copy of it is whole.
    await sql`pragma wal_checkpoint(passive)`.execute(db);
    await sql`pragma busy_timeout = ${sql.lit(BUSY_TIMEOUT_MS)}`.execute(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/**
 * SQLite's own busy timeout blocks the thread, and the holder of the lock may be another server in this
 * process; so while starting, the wait is ours. Rejects when the lock stays held for ten seconds.
 */
export async function untilUnlocked<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + LOCK_PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      await pause(10);
    }
  }
}

/**
 * Runs one write that finds SQLite's lock free or rejects: a server must not stand still for as long as an import
 * lasts. See `isBusy`. On Postgres, where waiting stops nobody, it waits.
 */
export async function writeAtOnce<T>(
  db: Kysely<Tables>,
  write: (connection: Kysely<Tables>) => Promise<T>,
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

/** Whether a write was refused because somebody else is writing. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

/** `file:a/b.db`, `file:/a/b.db` and `file:///a/b.db`; only the last is percent-encoded. */
function pathFromFileUrl(databaseUrl: string): string {
  if (databaseUrl.startsWith('file://')) return fileURLToPath(databaseUrl);
  return databaseUrl.slice('file:'.length);
}
