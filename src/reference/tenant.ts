import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './postgres.ts';
import type { Tables } from './tables.ts';

/** The role that reads on Postgres: it owns nothing, so that row security holds for it whoever connects. */
export const readerRole: RawBuilder<string> = sql`left(current_database(), 50) || '_reader'`;

const begin = CompiledQuery.raw('begin');
const commit = CompiledQuery.raw('commit');

/**
 * The rows of one partner's query (section 5, point 5). On Postgres the transaction becomes the reader of that
 * partner first, and then no row of another exists for it, whatever the query says.
 */
export async function readAs<Row>(
  db: Kysely<Tables>,
  partnerId: string,
  query: CompiledQuery<Row>,
): Promise<Row[]> {
  if (!isPostgres(db)) return (await db.executeQuery(query)).rows;
  return db.connection().execute(async (connection) => {
    // Sent together: where one fails, Postgres refuses those behind it and the commit rolls back.
    const answers = [begin, becomeReader(db, partnerId), query, commit].map((step) =>
      connection.executeQuery(step),
    );
    await Promise.allSettled(answers);
    const [, , found] = await Promise.all(answers);
    return (found?.rows ?? []) as Row[];
  });
}

/** Lets a transaction read and write every partner's rows until its end, however long that takes. */
export async function becomeOperator(transaction: Kysely<Tables>): Promise<void> {
  if (isPostgres(transaction)) {
    await sql`select set_config('reference.operator', 'on', true), set_config('statement_timeout', '0', true)`.execute(
      transaction,
    );
  }
}

function becomeReader(db: Kysely<Tables>, partnerId: string): CompiledQuery {
  return sql`select set_config('role', ${readerRole}, true), set_config('reference.partner_id', ${partnerId}, true)`.compile(
    db,
  );
}
