import { Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely';
import { missingDatabaseError, openError } from './errors.ts';
import { explainPostgres } from './postgres-errors.ts';
import type { ReferenceDatabase, Tables } from './tables.ts';

const POOL_SIZE = 10;
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 5_000;

/**
 * Connects to `postgres://…` and runs `prepare`. The tables are in the first schema of the search path.
 * Rejects with a `DatabaseError` when the server cannot be reached within ten seconds or rejects the
 * connection, and where the tables must exist and do not.
 */
export async function startPostgres(
  databaseUrl: string,
  prepare: (db: ReferenceDatabase) => Promise<void>,
  mustExist: boolean,
): Promise<ReferenceDatabase> {
  // Imported on demand: a start on SQLite does not load it.
  const { Pool } = await import('pg');
  const pool = new Pool({
    connectionString: databaseUrl,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A transaction of the operator lifts this for itself.
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // Sends statements without waiting for earlier results, so that a guarded read is one round trip.
    pipeline: true,
  });
  // The query of a lost connection rejects and the next one reconnects; an unhandled event would end the
  // process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const toOpenError = (error: unknown) =>
    openError(error, (code, message) => explainPostgres(databaseUrl, code, message));
  const connect = () =>
    pool.connect().catch((error: unknown) => {
      throw toOpenError(error);
    });
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect, end: () => pool.end() } }),
  });
  try {
    await sql`select 1`.execute(db);
    if (mustExist && !(await hasTables(db))) throw missingDatabaseError('its schema has no tables of it');
    await prepare(db);
    return db;
  } catch (error) {
    await db.destroy();
    // Errors that `prepare` itself throws have no code.
    throw error instanceof Error && 'code' in error ? toOpenError(error) : error;
  }
}

async function hasTables(db: ReferenceDatabase): Promise<boolean> {
  const found = sql`select tablename from pg_tables
    where schemaname = current_schema() and tablename in ('steps', 'keys')`;
  return (await found.execute(db)).rows.length === 2;
}

export function isPostgres(db: ReferenceDatabase): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
