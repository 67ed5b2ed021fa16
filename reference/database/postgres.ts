import { Kysely, PostgresAdapter, PostgresDialect } from 'kysely';
import { openError } from './errors.ts';
import type { ReferenceDatabase, Tables } from './tables.ts';

const POOL_SIZE = 10;
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 5_000;

/** Connects to `postgres://…` on demand. The tables are in the first schema of the search path. */
export async function connectPostgres(databaseUrl: string): Promise<ReferenceDatabase> {
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
  const connect = () =>
    pool.connect().catch((error: unknown) => {
      throw openError(error);
    });
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect, end: () => pool.end() } }),
  });
}

export function isPostgres(db: ReferenceDatabase): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
