import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type GeneratedData, generatedLines } from '../data/generated.ts';
import { inTransaction, openDatabase, startDatabase } from '../database/database.ts';
import { empty } from '../database/migrations.ts';
import type { ReferenceDatabase } from '../database/tables.ts';
import { exportFile, exportTo } from './export.ts';
import { importFile } from './import.ts';
import { createProgress } from './progress.ts';

const BAD_LINES_SHOWN = 100;

/** Creates the database if needed and loads the file. Progress and bad lines go to standard error. */
export async function runImport(
  { databaseUrl, siteIdPrefix }: { databaseUrl: string; siteIdPrefix: string },
  path: string,
  modes: { skipBad: boolean; replace: boolean },
): Promise<void> {
  const { size } = await stat(path);
  await withDatabase(startDatabase(databaseUrl), async (db) => {
    const progress = createProgress(size, process.stderr);
    const bad: string[] = [];
    let badCount = 0;
    const onBad = (line: number, fault: string) => {
      badCount += 1;
      if (bad.length < BAD_LINES_SHOWN) bad.push(`line ${line}: ${fault}`);
    };
    try {
      const onProgress = progress.update;
      const count = await importFile(db, path, { siteIdPrefix, ...modes, onBad, onProgress });
      console.log(`imported ${count.sites} sites and ${count.conversations} conversations`);
    } finally {
      progress.stop();
      for (const line of bad) console.error(line);
      if (badCount > bad.length) console.error(`and ${badCount - bad.length} more bad lines`);
    }
  });
}

/** Writes the database to the file or standard output. Rejects where there is no database; creates none. */
export async function runExport(databaseUrl: string, path: string | undefined): Promise<void> {
  await withDatabase(openDatabase(databaseUrl), (db) =>
    path === undefined ? exportTo(db, process.stdout) : exportFile(db, path),
  );
}

/** Writes generated lines for an import to standard output. */
export async function runGenerate(data: GeneratedData): Promise<void> {
  await pipeline(Readable.from(generatedLines(data)), process.stdout, { end: false });
}

/** Deletes all data, keys and links. Rejects where there is no database, or one with a key for production. */
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
