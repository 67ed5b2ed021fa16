import { writeFile } from 'node:fs/promises';
import type { ReferenceDatabase } from '../../../reference/database/tables.ts';
import { becomeOperator } from '../../../reference/database/tenant.ts';
import { type ImportOptions, importFile } from '../../../reference/transfer/import.ts';
import { lineFromConversation, lineFromSite } from '../../../reference/transfer/record.ts';
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
    replace: false,
    ...changes,
  });
}

/** All rows as lines: by partner, sites first, then by id. */
export async function storedLines(db: ReferenceDatabase): Promise<string[]> {
  const transaction = await db.startTransaction().execute();
  try {
    await becomeOperator(transaction);
    const sites = await transaction.selectFrom('sites').selectAll().execute();
    const conversations = await transaction.selectFrom('conversations').selectAll().execute();
    const rows = [
      ...sites.map((row) => ({ place: `${row.partner_id} 1 ${row.id}`, line: lineFromSite(row) })),
      ...conversations.map((row) => ({
        place: `${row.partner_id} 2 ${row.id}`,
        line: lineFromConversation(row),
      })),
    ];
    const inOrder = rows.sort((one, other) =>
      Buffer.compare(Buffer.from(one.place), Buffer.from(other.place)),
    );
    return inOrder.map(({ line }) => line.trimEnd());
  } finally {
    await transaction.rollback().execute();
  }
}
