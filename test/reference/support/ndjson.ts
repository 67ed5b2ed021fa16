import { writeFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import type { ReferenceDatabase } from '../../../reference/database/tables.ts';
import { exportTo } from '../../../reference/transfer/export.ts';
import { type ImportOptions, importFile } from '../../../reference/transfer/import.ts';
import { freshPath } from './database.ts';

const unknownAddress = { address1: null, address2: null, city: null, state: null, zip: null };

export const siteLine = (partner: string, id: string, more: object = {}) =>
  JSON.stringify({
    partner,
    kind: 'site',
    site: { id, ...unknownAddress, ...more },
    clients: [],
    projects: [],
  });

export const conversationLine = (partner: string, id: string, context: object = {}) =>
  JSON.stringify({ partner, kind: 'conversation', id, context });

export async function fileOf(lines: readonly (string | Buffer)[]): Promise<string> {
  const path = await freshPath('rows.ndjson');
  await writeFile(path, Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')])));
  return path;
}

export async function importLines(
  db: ReferenceDatabase,
  lines: readonly (string | Buffer)[],
  changes: Partial<ImportOptions> = {},
) {
  return importFile(db, await fileOf(lines), {
    siteIdPrefix: 'SITE',
    skipBad: false,
    replace: false,
    ...changes,
  });
}

/** The lines that an export writes. */
export async function exportedLines(db: ReferenceDatabase): Promise<string[]> {
  const chunks: string[] = [];
  const target = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  await exportTo(db, target);
  return chunks.join('').split('\n').slice(0, -1);
}
