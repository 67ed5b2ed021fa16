import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type GeneratedData, generatedLines } from '../data/generated.ts';
import { inTransaction, openDatabase, startDatabase } from '../database/database.ts';
import { empty } from '../database/migrations.ts';
import type { ReferenceDatabase } from '../database/tables.ts';
import { importFile } from './import.ts';

const BAD_LINES_SHOWN = 100;

/** Creates the database if needed and loads the file. Bad lines go to standard error. */
export async function runImport(
  { databaseUrl, siteIdPrefix }: { databaseUrl: string; siteIdPrefix: string },
  path: string,
  replace: boolean,
): Promise<void> {
  await withDatabase(startDatabase(databaseUrl), async (db) => {
    let bad = 0;
    const onBad = (line: number, fault: string) => {
      bad += 1;
      if (bad <= BAD_LINES_SHOWN) console.error(`line ${line}: ${fault}`);
    };
    const count = await importFile(db, path, { siteIdPrefix, replace, onBad });
    console.log(`imported ${count.sites} sites and ${count.conversations} conversations`);
  });
}

/** Writes generated lines for an import to standard output. */
export async function runGenerate(data: GeneratedData): Promise<void> {
  await pipeline(Readable.from(generatedLines(data)), process.stdout, { end: false });
}

/** Deletes all data, keys and links. Rejects if there is no database, or one with a key for production. */
export async function runReset(databaseUrl: string): Promise<void> {
  await withDatabase(openDatabase(databaseUrl), (db) =>
    inTransaction(db, async (transaction) => {
      const inProduction = transaction
        .selectFrom('keys')
        .select('name')
        .where('environment', '=', 'production');
      if (await inProduction.executeTakeFirst()) {
        throw new Error('nothing deleted: REFERENCE_DATABASE_URL has keys for production');
      }
      await empty(transaction);
    }),
  );
  console.log('deleted all data and keys; the next start writes those of the demo');
}

async function withDatabase(
  opening: Promise<ReferenceDatabase>,
  work: (db: ReferenceDatabase) => Promise<void>,
): Promise<void> {
  const db = await opening;
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}
