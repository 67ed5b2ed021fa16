import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { inTransaction } from '../database/database.ts';
import type { ReferenceDatabase } from '../database/tables.ts';
import { createBatch } from './batch.ts';
import { createRecordReader } from './record.ts';

export interface ImportOptions {
  siteIdPrefix: string;
  /** Deletes the other sites and conversations of each partner that the file has. */
  replace: boolean;
  /** Called for every bad line, in order. */
  onBad?: ((line: number, fault: string) => void) | undefined;
}

export interface ImportCount {
  sites: number;
  conversations: number;
}

/** The file has bad lines, and nothing of it was loaded. */
export class BadFileError extends Error {
  override name = 'BadFileError';

  constructor(bad: number) {
    super(`nothing imported: ${bad} bad ${bad === 1 ? 'line' : 'lines'}`);
  }
}

/**
 * Loads an NDJSON file in one transaction and replaces objects with the same ids. Rejects with
 * `BadFileError`, or when the file cannot be read; then, as after a crash, nothing is loaded.
 */
export function importFile(
  db: ReferenceDatabase,
  path: string,
  options: ImportOptions,
): Promise<ImportCount> {
  const { replace, onBad } = options;
  const read = createRecordReader(options.siteIdPrefix);
  return inTransaction(db, async (transaction) => {
    const count = { sites: 0, conversations: 0 };
    const batch = createBatch(transaction);
    const partners = new Set<string>();
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
      count[record.table] += 1;
      // After a bad line the rest is only checked for others.
      if (bad > 0) continue;
      // Before its first row is written.
      if (replace && isNew(partners, record.row.partner_id))
        await deletePartner(transaction, record.row.partner_id);
      await batch.add(record, text.length);
    }
    if (bad > 0) throw new BadFileError(bad);
    await batch.flush();
    return count;
  });
}

function isNew(partners: Set<string>, partnerId: string): boolean {
  return partners.size < partners.add(partnerId).size;
}

async function deletePartner(db: ReferenceDatabase, partnerId: string): Promise<void> {
  for (const table of ['sites', 'conversations'] as const) {
    await db.deleteFrom(table).where('partner_id', '=', partnerId).execute();
  }
}
