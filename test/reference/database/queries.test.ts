import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CompiledQuery, Kysely, SqliteDialect } from 'kysely';
import Sqlite from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { demoConversations, demoSites } from '../../../reference/data/demo-ids.ts';
import { createStore, type Store } from '../../../reference/database/store.ts';
import type { Tables } from '../../../reference/database/tables.ts';
import { freshDatabasePath, openSeeded } from '../support/database.ts';

/** A database with the demo data, and a list that records every query. */
async function startRecorded() {
  const path = await freshDatabasePath();
  await openSeeded(`file:${path}`);
  const queries: CompiledQuery[] = [];
  const db = new Kysely<Tables>({
    dialect: new SqliteDialect({ database: new Sqlite(path) }),
    log: ({ query }) => void queries.push(query),
  });
  onTestFinished(() => db.destroy());
  return { db, queries };
}

/** One call of every method of the store. */
const calls: { [Name in keyof Store]: (store: Store, partnerId: string) => Promise<unknown>[] } = {
  readSite: (store, partnerId) =>
    [[], ['clients'], ['projects'], ['clients', 'projects']].map((relations) =>
      store.readSite(partnerId, demoSites().main, new Set(relations as ('clients' | 'projects')[])),
    ),
  readContext: (store, partnerId) => [store.readContext(partnerId, demoConversations.shared)],
};

/** A select from one table whose first condition is the partner's id. */
const clause = /^select [\w", ]+ from "(sites|conversations)" where "partner_id" = \? and "id" (=|>) \?/;
const isAlone = (sql: string) => !/\b(or|union|join)\b/.test(sql) && sql.match(/\bselect\b/g)?.length === 1;

it('the queries of the store all contain the partner’s id', async () => {
  const { db, queries } = await startRecorded();
  const store = createStore(db);
  expect(Object.keys(calls).sort()).toEqual(Object.keys(store).sort());
  for (const [name, call] of Object.entries(calls)) {
    for (const partnerId of ['acme', 'globex']) {
      queries.length = 0;
      const responses = await Promise.all(call(store, partnerId));
      expect(responses, name).not.toContain(null);
      expect(queries.length, name).toBe(responses.length);
      for (const { sql, parameters } of queries) {
        expect(sql, name).toMatch(clause);
        expect(isAlone(sql), sql).toBe(true);
        expect(parameters[0], name).toBe(partnerId);
      }
    }
  }
});

it('queries of the partners’ tables are in these files only', () => {
  const folder = resolve(import.meta.dirname, '../../../reference');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.ts$/.test(name),
  );
  const pending = files.filter((name) =>
    /(From|Into|Table|update\w*)\(\s*'(sites|conversations)|sql`[^`]*\b(sites|conversations)\b/i.test(
      readFileSync(join(folder, name), 'utf8'),
    ),
  );
  expect(pending.sort()).toEqual([
    'data/seed.ts',
    'database/migrations.ts',
    'database/row-security.ts',
    'database/store.ts',
    'transfer/import.ts',
  ]);
});
