import type { SqliteDatabase, SqliteStatement } from 'kysely';
import type { Database } from 'libsql';

const CAPACITY = 100;

type RunResult = ReturnType<SqliteStatement['run']>;

/**
 * libsql's database as Kysely asks for it, with the last hundred texts kept prepared: preparing costs more than
 * reading a row. A statement follows changes of the schema by itself, and one that writes takes the lock first.
 */
export function createStatements(database: Database): SqliteDatabase {
  const prepared = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      const statement = prepared.get(sql) ?? statementFrom(database, sql);
      prepared.delete(sql);
      prepared.set(sql, statement);
      if (prepared.size > CAPACITY) prepared.delete(prepared.keys().next().value ?? '');
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
    // Asked of libsql once; the answer never changes.
    reader: statement.reader,
    all: (parameters) => statement.all(parameters),
    run: (parameters) => underLock(database, sql, () => statement.run(parameters)),
    // A reader that stops early leaves its statement in the middle, so each gets its own.
    iterate: (parameters) => database.prepare(sql).iterate(parameters) as IterableIterator<unknown>,
  };
}

/**
 * libsql leaves a kept statement that found the lock taken in the middle, and with it the whole connection at the
 * state of that moment: it would serve a key that is revoked since. `exec` keeps no statement, so it takes the lock.
 * A pragma writes no row, and some refuse a transaction.
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
