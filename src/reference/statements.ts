import type { SqliteDatabase, SqliteStatement } from 'kysely';
import type { Database } from 'libsql';

const CAPACITY = 100;

/**
 * libsql's database as Kysely asks for it, with the last hundred texts kept prepared: preparing costs more than
 * reading a row. A statement follows changes of the schema by itself.
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
    run: (parameters) => statement.run(parameters),
    // A reader that stops early leaves its statement in the middle, so each gets its own.
    iterate: (parameters) => database.prepare(sql).iterate(parameters) as IterableIterator<unknown>,
  };
}
