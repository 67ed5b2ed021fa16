import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './postgres.ts';
import type { ReferenceDatabase } from './tables.ts';

/** The Postgres role of reads. It owns nothing, so row security applies to it whichever user connects. */
export const readerRole: RawBuilder<string> = sql`left(current_database(), 50) || '_reader'`;

const begin = CompiledQuery.raw('begin');
const commit = CompiledQuery.raw('commit');

/**
 * Runs a query for one partner (section 5, point 5). On Postgres, row security hides the rows of every other
 * partner, whatever the query is.
 */
export async function readAs<Row>(
  db: ReferenceDatabase,
  partnerId: string,
  query: CompiledQuery<Row>,
): Promise<Row[]> {
  if (!isPostgres(db)) return (await db.executeQuery(query)).rows;
  return db.connection().execute(async (connection) => {
    // Pipelined: if one fails, Postgres rejects the rest and the commit rolls back.
    const results = [begin, becomeReader(db, partnerId), query, commit].map((statement) =>
      connection.executeQuery(statement),
    );
    await Promise.allSettled(results);
    const [, , found] = await Promise.all(results);
    return (found?.rows ?? []) as Row[];
  });
}

/** Lets a transaction read and write the rows of every partner, without a statement timeout. */
export async function becomeOperator(transaction: ReferenceDatabase): Promise<void> {
  if (isPostgres(transaction)) {
    await sql`select set_config('reference.operator', 'on', true), set_config('statement_timeout', '0', true)`.execute(
      transaction,
    );
  }
}

function becomeReader(db: ReferenceDatabase, partnerId: string): CompiledQuery {
  return sql`select set_config('role', ${readerRole}, true), set_config('reference.partner_id', ${partnerId}, true)`.compile(
    db,
  );
}
