import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { seedDemo } from '../../../reference/data/seed.ts';
import { startDatabase } from '../../../reference/database/database.ts';
import type { ReferenceDatabase } from '../../../reference/database/tables.ts';
import { makeFolder } from '../../support/manifest.ts';
import { freshPostgresUrl, hasPostgres, queryPostgres } from '../../support/postgres.ts';

/** A path in a new folder, which is deleted after the test. */
export async function freshPath(name = 'file'): Promise<string> {
  return join(await makeFolder(), name);
}

/** The same for a database whose folder does not exist yet. */
export const freshDatabasePath = () => freshPath('made/by/start.db');

/** Every engine, with a database of its own for one test; `isMissing` if none is reachable. */
export const engines = [
  { name: 'SQLite', isMissing: false, freshUrl: async () => `file:${await freshDatabasePath()}` },
  { name: 'Postgres', isMissing: !hasPostgres, freshUrl: freshPostgresUrl },
] as const;

/** The tests on every engine; `freshUrl` creates a database for one of them. */
export function onEngines(title: string, tests: (freshUrl: () => Promise<string>) => void): void {
  for (const { name, isMissing, freshUrl } of engines)
    describe.skipIf(isMissing)(`${title} on ${name}`, () => tests(freshUrl));
}

/** A connection until the end of the test. A new database is created without the demo data. */
export async function openDatabase(databaseUrl: string): Promise<ReferenceDatabase> {
  const db = await startDatabase(databaseUrl, async () => {});
  onTestFinished(() => db.destroy());
  return db;
}

/** The same, and a new database is created with the demo data. */
export async function openSeeded(databaseUrl: string): Promise<ReferenceDatabase> {
  const db = await startDatabase(databaseUrl, (fresh) => seedDemo(fresh, 'SITE'));
  onTestFinished(() => db.destroy());
  return db;
}

/** All bytes of SQLite's files in the folder of the database, or all rows on Postgres. */
export async function readDump(databaseUrl: string): Promise<string> {
  if (!databaseUrl.startsWith('file:')) return readRows(databaseUrl);
  const folder = dirname(databaseUrl.slice('file:'.length));
  const files = (await readdir(folder)).map((file) => readFile(join(folder, file), 'latin1'));
  return (await Promise.all(files)).join();
}

async function readRows(databaseUrl: string): Promise<string> {
  const names = "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'";
  const dumps = (await queryPostgres(databaseUrl, names)).map((row) => {
    const { name } = row as { name: string };
    return queryPostgres(databaseUrl, `select ${name}::text from ${name}`);
  });
  return JSON.stringify(await Promise.all(dumps));
}
