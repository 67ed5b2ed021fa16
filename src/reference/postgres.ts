import { Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely';
import { absentError, openError } from './database-error.ts';
import { explainPostgres } from './postgres-error.ts';
import type { Tables } from './tables.ts';

const POOL_SIZE = 10;
const CONNECT_PATIENCE_MS = 10_000;
const STATEMENT_PATIENCE_MS = 5_000;

/**
 * Connects to `postgres://…` and brings the database up to date with `prepare`. Its tables are those of the
 * connection's first schema. Rejects with a `DatabaseError` when the server cannot be reached within ten seconds, or
 * rejects the connection, and where the tables must exist and do not.
 */
export async function startPostgres(
  databaseUrl: string,
  prepare: (db: Kysely<Tables>) => Promise<void>,
  mustExist: boolean,
): Promise<Kysely<Tables>> {
  // Loaded only here, so that a start without Postgres does not wait for it.
  const { Pool } = await import('pg');
  const pool = new Pool({
    connectionString: databaseUrl,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_PATIENCE_MS,
    // An operator's transaction, which may take longer, lifts this for itself.
    statement_timeout: STATEMENT_PATIENCE_MS,
    // Statements go out without waiting for the answer to the one before, so a guarded read is one round trip.
    pipeline: true,
  });
  // A connection that the server ends is replaced by the next query, and its own query rejects; unheard, the
  // event would end the process, be it of an idle connection or of one at work.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await sql`select 1`.execute(db).catch((error: unknown) => {
      throw openError(error, (code, message) => explainPostgres(databaseUrl, code, message));
    });
    if (mustExist && !(await hasTables(db))) throw absentError('its schema has no tables of it');
    await prepare(db);
    return db;
  } catch (error) {
    await db.destroy();
    // The errors of `prepare` itself have no code.
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw openError(error, (code, message) => explainPostgres(databaseUrl, code, message));
  }
}

async function hasTables(db: Kysely<Tables>): Promise<boolean> {
  const found = sql`select tablename from pg_tables
    where schemaname = current_schema() and tablename in ('steps', 'keys')`;
  return (await found.execute(db)).rows.length === 2;
}

export function isPostgres(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
