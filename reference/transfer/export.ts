import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReferenceDatabase, Tables } from '../database/tables.ts';
import { becomeOperator } from '../database/tenant.ts';
import { lineFromConversation, lineFromSite } from './record.ts';

const PAGE_ROWS = 200;

/**
 * Writes the sites and conversations of every partner as NDJSON, from one snapshot and ordered by id: the
 * same data gives the same bytes on every engine.
 */
export async function exportTo(db: ReferenceDatabase, target: Writable): Promise<void> {
  await pipeline(Readable.from(linesOf(db)), target, { end: target !== process.stdout });
}

/** Writes them to a file, which gets its name when it is complete. */
export async function exportFile(db: ReferenceDatabase, path: string): Promise<void> {
  const partial = `${path}.${process.pid}.part`;
  try {
    await exportTo(db, createWriteStream(partial, { flush: true }));
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function* linesOf(db: ReferenceDatabase): AsyncGenerator<string> {
  // On SQLite every transaction reads one snapshot.
  const transaction = await db.startTransaction().setIsolationLevel('repeatable read').execute();
  try {
    await becomeOperator(transaction);
    for (const partnerId of await readPartners(transaction)) {
      for await (const row of pages((after) => readSites(transaction, partnerId, after)))
        yield lineFromSite(row);
      for await (const row of pages((after) => readConversations(transaction, partnerId, after))) {
        yield lineFromConversation(row);
      }
    }
  } finally {
    await transaction.rollback().execute();
  }
}

/** The only query over the rows of all partners; it returns their ids alone. */
async function readPartners(db: ReferenceDatabase): Promise<string[]> {
  const rows = await db
    .selectFrom('sites')
    .select('partner_id')
    .union(db.selectFrom('conversations').select('partner_id'))
    .orderBy('partner_id')
    .execute();
  return rows.map(({ partner_id }) => partner_id);
}

/** Every row, with one page in memory at a time. `readPage` returns the rows after an id. */
async function* pages<Row extends { id: string }>(
  readPage: (after: string) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let rows = await readPage(''); rows.length > 0; rows = await readPage(rows.at(-1)?.id ?? '')) {
    yield* rows;
  }
}

function readSites(db: ReferenceDatabase, partnerId: string, after: string): Promise<Tables['sites'][]> {
  return db
    .selectFrom('sites')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE_ROWS)
    .execute();
}

function readConversations(
  db: ReferenceDatabase,
  partnerId: string,
  after: string,
): Promise<Tables['conversations'][]> {
  return db
    .selectFrom('conversations')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE_ROWS)
    .execute();
}
