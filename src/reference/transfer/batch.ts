import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import type { Record } from './record.ts';

const MAX_ROWS = 250;
const MAX_CHARACTERS = 4 * 1024 * 1024;

export interface Batch {
  /** Takes a record, whose text had this many characters, and writes the batch when it is full. */
  add(record: Record, characters: number): Promise<void>;
  /** Writes what is left. */
  flush(): Promise<void>;
}

/** Collects records for one insert each of many; a row that is there already is replaced. */
export function createBatch(db: Kysely<Tables>): Batch {
  // By their ids: one insert cannot write the same row twice, and the later line holds.
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

async function upsertSites(db: Kysely<Tables>, rows: Tables['sites'][]): Promise<void> {
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

async function upsertConversations(db: Kysely<Tables>, rows: Tables['conversations'][]): Promise<void> {
  await db
    .insertInto('conversations')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['partner_id', 'id']).doUpdateSet(({ ref }) => ({ context: ref('excluded.context') })),
    )
    .execute();
}
