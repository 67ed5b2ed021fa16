import { createReadStream } from 'node:fs';
import { inTransaction } from '../database/database.ts';
import type { ReferenceDatabase } from '../database/tables.ts';
import { createBatch } from './batch.ts';
import { LINE_MAX_BYTES, type Line, linesFrom } from './lines.ts';
import { createRecordReader, type Fault, type Record } from './record.ts';

export interface ImportOptions {
  siteIdPrefix: string;
  /** Skips bad lines; otherwise one of them rejects the whole file. */
  skipBad: boolean;
  /** Deletes the other sites and conversations of each partner that the file has. */
  replace: boolean;
  /** Called for every bad line, in order. */
  onBad?: ((line: number, fault: string) => void) | undefined;
  /** Called for every line, with the lines and the bytes read so far. */
  onProgress?: ((lines: number, bytes: number) => void) | undefined;
}

export interface ImportCount {
  sites: number;
  conversations: number;
  bad: number;
}

/** The file has bad lines, and nothing of it was loaded. */
export class BadFileError extends Error {
  override name = 'BadFileError';

  constructor(bad: number) {
    super(`nothing imported: ${bad} bad ${bad === 1 ? 'line' : 'lines'}; --skip-bad imports the others`);
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
  const { skipBad, replace, onBad, onProgress } = options;
  const read = createRecordReader(options.siteIdPrefix);
  return inTransaction(db, async (transaction) => {
    const count = { sites: 0, conversations: 0, bad: 0 };
    const batch = createBatch(transaction);
    const partners = new Set<string>();
    const bytes = createReadStream(path, { highWaterMark: 256 * 1024 });
    for await (const line of linesFrom(bytes)) {
      const record = recordFromLine(line, read);
      if (record && 'fault' in record) {
        count.bad += 1;
        onBad?.(line.number, record.fault);
      } else if (record) {
        count[record.table] += 1;
        // After a bad line the rest is only checked for others.
        if (skipBad || count.bad === 0) {
          // Before its first row is written.
          if (replace && isNew(partners, record.row.partner_id)) {
            await deletePartner(transaction, record.row.partner_id);
          }
          await batch.add(record, line.text?.length ?? 0);
        }
      }
      onProgress?.(line.number, bytes.bytesRead);
    }
    if (count.bad > 0 && !skipBad) throw new BadFileError(count.bad);
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

/** Null for a blank line. */
function recordFromLine({ text }: Line, read: (text: string) => Record | Fault): Record | Fault | null {
  if (text === null) return { fault: `not UTF-8, or over ${LINE_MAX_BYTES} bytes` };
  return text.trim() === '' ? null : read(text);
}
