import { createReadStream } from 'node:fs';
import type { ReferenceDatabase } from '../database.ts';
import { writeTogether } from '../database.ts';
import { createBatch } from './batch.ts';
import { LINE_MAX_BYTES, type Line, linesFrom } from './lines.ts';
import { createRecordReader, type Fault, type Record } from './record.ts';

export interface ImportOptions {
  siteIdPrefix: string;
  /** Leaves bad lines out; otherwise one of them refuses the whole file. */
  skipBad: boolean;
  /** Hears of every bad line, in order. */
  onBad?: ((line: number, fault: string) => void) | undefined;
  /** Called for every line, with the lines and the bytes read so far. */
  onProgress?: ((lines: number, bytes: number) => void) | undefined;
}

export interface ImportCount {
  sites: number;
  conversations: number;
  /** Lines that stand for nothing. */
  bad: number;
}

/** The file holds bad lines, and nothing of it was loaded. */
export class RefusedFile extends Error {
  override name = 'RefusedFile';

  constructor(bad: number) {
    super(`nothing imported: ${bad} bad ${bad === 1 ? 'line' : 'lines'}; --skip-bad imports the others`);
  }
}

/**
 * Loads a file of NDJSON in one transaction, replacing what has the same ids: all of it, or on a rejection and
 * after a crash nothing. Rejects with `RefusedFile`, or when the file cannot be read.
 */
export function importFile(
  db: ReferenceDatabase,
  path: string,
  options: ImportOptions,
): Promise<ImportCount> {
  const { skipBad, onBad, onProgress } = options;
  const read = createRecordReader(options.siteIdPrefix);
  return writeTogether(db, async (transaction) => {
    const count = { sites: 0, conversations: 0, bad: 0 };
    const batch = createBatch(transaction);
    const bytes = createReadStream(path, { highWaterMark: 256 * 1024 });
    for await (const line of linesFrom(bytes)) {
      const record = recordFromLine(line, read);
      if (record && 'fault' in record) {
        count.bad += 1;
        onBad?.(line.number, record.fault);
      } else if (record) {
        count[record.table] += 1;
        // A file that is refused already is read on for its other bad lines only.
        if (skipBad || count.bad === 0) await batch.add(record, line.text?.length ?? 0);
      }
      onProgress?.(line.number, bytes.bytesRead);
    }
    if (count.bad > 0 && !skipBad) throw new RefusedFile(count.bad);
    await batch.flush();
    return count;
  });
}

/** Null for a blank line, which is no record and no fault. */
function recordFromLine({ text }: Line, read: (text: string) => Record | Fault): Record | Fault | null {
  if (text === null) return { fault: `not UTF-8, or over ${LINE_MAX_BYTES} bytes` };
  return text.trim() === '' ? null : read(text);
}
