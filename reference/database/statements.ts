import type { SqliteDatabase, SqliteStatement } from 'kysely';
import type { Database } from 'libsql';

const MAX_STATEMENTS = 100;

type RunResult = ReturnType<SqliteStatement['run']>;

/**
 * A libsql database for Kysely that reuses the hundred statements used last: preparing one costs more than
 * reading a row. SQLite itself prepares a statement again after a change of the schema.
 */
export function createStatements(database: Database): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      const statement = prepared.get(sql) ?? statementFrom(database, sql);
      prepared.delete(sql);
      prepared.set(sql, statement);
      if (prepared.size > MAX_STATEMENTS) prepared.delete(prepared.keys().next().value ?? '');
      return statement;
    },
    close() {
      prepared.clear();
      database.close();
    },
  };
}

function statementFrom(database: Database, sql: string): SqliteStatement {
  const statement = database.prepare(sql);
  return {
    // Constant, and a call into libsql each time.
    reader: statement.reader,
    all: (parameters) => statement.all(parameters),
    run: (parameters) => underLock(database, sql, () => statement.run(parameters)),
    // Not reused: an iteration that stops early leaves its statement unfinished.
    iterate: (parameters) => database.prepare(sql).iterate(parameters) as IterableIterator<unknown>,
  };
}

/**
 * Takes the write lock with `exec` before the statement runs. A reused statement that fails with SQLITE_BUSY
 * stays unfinished in libsql, and its connection then reads the database as of that time: it would accept a
 * key that has been revoked since. A pragma writes no row, and some are not allowed in a transaction.
 */
function underLock(database: Database, sql: string, run: () => RunResult): RunResult {
  if (sql.startsWith('begin')) {
    database.exec(sql);
    return { changes: 0, lastInsertRowid: 0 };
  }
  if (database.inTransaction || sql.startsWith('pragma')) return run();
  database.exec('begin immediate');
  try {
    const result = run();
    database.exec('commit');
    return result;
  } catch (error) {
    if (database.inTransaction) database.exec('rollback');
    throw error;
  }
}
