import { Kysely, PostgresAdapter, PostgresDialect } from 'kysely';
import type { Tables } from './tables.ts';

const POOL_SIZE = 10;
const CONNECT_PATIENCE_MS = 10_000;
const STATEMENT_PATIENCE_MS = 5_000;

/**
 * Connects to `postgres://…` and brings the database up to date with `prepare`. Its tables are those of the
 * connection's first schema. Rejects when the server cannot be reached within ten seconds.
 */
export async function startPostgres(
  databaseUrl: string,
  prepare: (db: Kysely<Tables>) => Promise<void>,
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
    await prepare(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

export function isPostgres(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
