import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Kysely, SqliteDialect, sql } from 'kysely';
import Sqlite from 'libsql';
import { absentError, openError } from './database-error.ts';
import { isPostgres } from './postgres.ts';
import { expectFile, explainFile, makeFile } from './sqlite-file.ts';
import { createStatements } from './statements.ts';
import type { Tables } from './tables.ts';

const LOCK_PATIENCE_MS = 10_000;
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens `file:…` or `:memory:`, brings it up to date with `prepare`, and then lets writers wait five seconds for each
 * other. Creates the file and its folder, unless it `mustExist`. Rejects with a `DatabaseError` when the file cannot be
 * opened, or must exist and has no tables of the reference.
 */
export async function startSqlite(
  databaseUrl: string,
  prepare: (db: Kysely<Tables>) => Promise<void>,
  mustExist: boolean,
): Promise<Kysely<Tables>> {
  if (databaseUrl === ':memory:') {
    if (mustExist) throw absentError('no other process can read :memory:');
    return openSqlite(databaseUrl, prepare, mustExist);
  }
  const path = pathFromFileUrl(databaseUrl);
  try {
    if (mustExist) expectFile(path);
    else makeFile(path);
    return await openSqlite(path, prepare, mustExist);
  } catch (error) {
    if (!isEngineError(error)) throw error;
    throw openError(error, (code, message) => explainFile(path, code, message));
  }
}

async function openSqlite(
  path: string,
  prepare: (db: Kysely<Tables>) => Promise<void>,
  mustExist: boolean,
): Promise<Kysely<Tables>> {
  const database = createStatements(new Sqlite(path));
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  try {
    // Looked for before anything is written: the file may be another program's.
    if (mustExist && !(await untilUnlocked(() => hasTables(db))))
      throw absentError(`${path} has no tables of it`);
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

async function hasTables(db: Kysely<Tables>): Promise<boolean> {
  const found = sql`select name from sqlite_master where type = 'table' and name in ('steps', 'keys')`;
  return (await found.execute(db)).rows.length === 2;
}

/** Whether Node or SQLite raised it: the errors of `prepare` itself have no code. */
function isEngineError(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
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

/** The absolute path of `file:a/b.db`, `file:/a/b.db` and `file:///a/b.db`; only the last is percent-encoded. */
function pathFromFileUrl(databaseUrl: string): string {
  if (databaseUrl.startsWith('file://')) return pathFromUrl(databaseUrl);
  return resolve(databaseUrl.slice('file:'.length));
}

function pathFromUrl(databaseUrl: string): string {
  try {
    return fileURLToPath(databaseUrl);
  } catch (error) {
    throw openError(error, (_, message) => [message, 'set file:///PATH, percent-encoded']);
  }
}
