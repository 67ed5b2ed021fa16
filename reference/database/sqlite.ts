import { accessSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Kysely, SqliteDialect, sql } from 'kysely';
import Sqlite from 'libsql';
import { codeFromError } from '../command-line.ts';
import { createStatements } from './statements.ts';
import type { ReferenceDatabase, Tables } from './tables.ts';

const OWNER_ONLY = 0o600;
const LOCK_TIMEOUT_MS = 10_000;

/** Opens `file:…` or `:memory:`. Creates the file and its folder, unless it `mustExist`. */
export function openSqlite(databaseUrl: string, mustExist: boolean): ReferenceDatabase {
  const path = databaseUrl === ':memory:' ? databaseUrl : pathFromFileUrl(databaseUrl);
  if (path !== ':memory:') mustExist ? accessSync(path) : createFile(path);
  const database = createStatements(new Sqlite(path));
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
}

/** Lets readers and one writer work at the same time. A power cut undoes no revocation and no opening of a link. */
export async function configureSqlite(db: ReferenceDatabase): Promise<void> {
  await retryWhileLocked(() => sql`pragma journal_mode = wal`.execute(db));
  await sql`pragma synchronous = full`.execute(db);
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

/** Whether a statement failed because another one holds the lock. */
export function isBusy(error: unknown): boolean {
  return codeFromError(error).startsWith('SQLITE_BUSY');
}

/**
 * A new file has the mode 0600, which SQLite also gives its `-wal` and `-shm`. An existing one is not opened:
 * closing it would release the locks that this process holds on it (fcntl(2)).
 */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    if (codeFromError(error) !== 'EEXIST') throw error;
  }
}

/** The absolute path of `file:a/b.db`, `file:/a/b.db`, `file:///a/b.db`; only the last is percent-encoded. */
function pathFromFileUrl(databaseUrl: string): string {
  return databaseUrl.startsWith('file://')
    ? fileURLToPath(databaseUrl)
    : resolve(databaseUrl.slice('file:'.length));
}
