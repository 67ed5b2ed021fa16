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
const clause = /^select [\w", ]+ from "(sites|conversations)" where "partner_id" = \? and "id" = \?/;
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
