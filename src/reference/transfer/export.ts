import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Kysely, Transaction } from 'kysely';
import type { ReferenceDatabase } from '../database.ts';
import type { Tables } from '../tables.ts';
import { becomeOperator } from '../tenant.ts';
import { lineFromConversation, lineFromSite } from './record.ts';

const PAGE_ROWS = 200;

/**
 * Writes every partner's sites and conversations as NDJSON, in the order of their ids: the same database gives
 * the same bytes on every engine. They are those of one moment, whatever is written meanwhile.
 */
export async function exportTo(db: ReferenceDatabase, target: Writable): Promise<void> {
  await pipeline(Readable.from(linesOf(db)), target, { end: target !== process.stdout });
}

/** The same into a file, which has its name only once it is whole. */
export async function exportFile(db: ReferenceDatabase, path: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.part`;
  try {
    await exportTo(db, createWriteStream(unfinished, { flush: true }));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function* linesOf(db: ReferenceDatabase): AsyncGenerator<string> {
  // SQLite knows no levels: a transaction there always reads one moment.
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

/** The one query of every partner's rows: it tells who there is, and nothing that is theirs. */
async function readPartners(db: Transaction<Tables>): Promise<string[]> {
  const rows = await db
    .selectFrom('sites')
    .select('partner_id')
    .union(db.selectFrom('conversations').select('partner_id'))
    .orderBy('partner_id')
    .execute();
  return rows.map(({ partner_id }) => partner_id);
}

/** Every row of a reader that goes on after an id, a page in memory at a time. */
async function* pages<Row extends { id: string }>(
  readPage: (after: string) => Promise<Row[]>,
): AsyncGenerator<Row> {
  for (let rows = await readPage(''); rows.length > 0; rows = await readPage(rows.at(-1)?.id ?? '')) {
    yield* rows;
  }
}

function readSites(db: Kysely<Tables>, partnerId: string, after: string): Promise<Tables['sites'][]> {
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
  db: Kysely<Tables>,
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
