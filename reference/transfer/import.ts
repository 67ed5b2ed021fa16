import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { inTransaction } from '../database/database.ts';
import type { ReferenceDatabase } from '../database/tables.ts';
import { createRecordReader, type Record } from './record.ts';

const ROWS_PER_INSERT = 250;

export interface ImportOptions {
  siteIdPrefix: string;
  /** Deletes the other sites and conversations of each partner that the file has. */
  replace: boolean;
  /** Called for every bad line, in order. */
  onBad?: ((line: number, fault: string) => void) | undefined;
}

/**
 * Loads an NDJSON file in one transaction and replaces objects with the same ids. Rejects if the file has a bad
 * line or cannot be read; then, as after a crash, nothing is loaded.
 */
export function importFile(
  db: ReferenceDatabase,
  path: string,
  { siteIdPrefix, replace, onBad }: ImportOptions,
): Promise<{ sites: number; conversations: number }> {
  const read = createRecordReader(siteIdPrefix);
  return inTransaction(db, async (transaction) => {
    const count = { sites: 0, conversations: 0 };
    const partners = new Set<string>();
    // By id: one insert cannot write a row twice, and the last line wins.
    const batch = new Map<string, Record>();
    let [number, bad] = [0, 0];
    for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      number += 1;
      if (text.trim() === '') continue;
      const record = read(text);
      if ('fault' in record) {
        bad += 1;
        onBad?.(number, record.fault);
        continue;
      }
      const { table, row } = record;
      count[table] += 1;
      // Before the first row of the partner is written.
      if (replace && !partners.has(row.partner_id)) await deletePartner(transaction, row.partner_id);
      partners.add(row.partner_id);
      batch.set(JSON.stringify([table, row.partner_id, row.id]), record);
      if (batch.size < ROWS_PER_INSERT) continue;
      await upsert(transaction, [...batch.values()]);
      batch.clear();
    }
    if (bad > 0) throw new Error(`nothing imported: ${bad} bad ${bad === 1 ? 'line' : 'lines'}`);
    await upsert(transaction, [...batch.values()]);
    return count;
  });
}

async function upsert(db: ReferenceDatabase, records: readonly Record[]): Promise<void> {
  const sites = records.flatMap(({ table, row }) => (table === 'sites' ? [row] : []));
  const conversations = records.flatMap(({ table, row }) => (table === 'conversations' ? [row] : []));
  const insertSites = db
    .insertInto('sites')
    .values(sites)
    .onConflict((conflict) =>
      conflict.columns(['partner_id', 'id']).doUpdateSet(({ ref }) => ({
        site: ref('excluded.site'),
        clients: ref('excluded.clients'),
        projects: ref('excluded.projects'),
      })),
    );
  const insertConversations = db
    .insertInto('conversations')
    .values(conversations)
    .onConflict((conflict) =>
      conflict.columns(['partner_id', 'id']).doUpdateSet(({ ref }) => ({ context: ref('excluded.context') })),
    );
  if (sites.length > 0) await insertSites.execute();
  if (conversations.length > 0) await insertConversations.execute();
}

async function deletePartner(db: ReferenceDatabase, partnerId: string): Promise<void> {
  for (const table of ['sites', 'conversations'] as const) {
    await db.deleteFrom(table).where('partner_id', '=', partnerId).execute();
  }
}
