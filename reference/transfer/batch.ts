import type { ReferenceDatabase, Tables } from '../database/tables.ts';
import type { Record } from './record.ts';

const MAX_ROWS = 250;
const MAX_CHARACTERS = 4 * 1024 * 1024;

export interface Batch {
  /** Adds a record, parsed from this many characters, and writes the batch when it is full. */
  add(record: Record, characters: number): Promise<void>;
  /** Writes the rest. */
  flush(): Promise<void>;
}

/** Writes records in multi-row inserts. Existing rows are replaced. */
export function createBatch(db: ReferenceDatabase): Batch {
  // By id: one insert cannot write a row twice, and the last line wins.
  const sites = new Map<string, Tables['sites']>();
  const conversations = new Map<string, Tables['conversations']>();
  let characters = 0;

  const flush = async () => {
    if (sites.size > 0) await upsertSites(db, [...sites.values()]);
    if (conversations.size > 0) await upsertConversations(db, [...conversations.values()]);
    sites.clear();
    conversations.clear();
    characters = 0;
  };

  return {
    async add({ table, row }, length) {
      const name = JSON.stringify([row.partner_id, row.id]);
      if (table === 'sites') sites.set(name, row);
      else conversations.set(name, row);
      characters += length;
      if (sites.size + conversations.size >= MAX_ROWS || characters >= MAX_CHARACTERS) await flush();
    },
    flush,
  };
}

async function upsertSites(db: ReferenceDatabase, rows: Tables['sites'][]): Promise<void> {
  await db
    .insertInto('sites')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['partner_id', 'id']).doUpdateSet(({ ref }) => ({
        site: ref('excluded.site'),
        clients: ref('excluded.clients'),
        projects: ref('excluded.projects'),
      })),
    )
    .execute();
}

async function upsertConversations(db: ReferenceDatabase, rows: Tables['conversations'][]): Promise<void> {
  await db
    .insertInto('conversations')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['partner_id', 'id']).doUpdateSet(({ ref }) => ({ context: ref('excluded.context') })),
    )
    .execute();
}
