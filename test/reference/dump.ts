import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { askPostgres } from './postgres.ts';

/** Every byte that SQLite keeps of a database in a folder of its own, or every row that Postgres does. */
export async function readDump(databaseUrl: string): Promise<string> {
  if (!databaseUrl.startsWith('file:')) return readRows(databaseUrl);
  const folder = dirname(databaseUrl.slice('file:'.length));
  const files = (await readdir(folder)).map((file) => readFile(join(folder, file), 'latin1'));
  return (await Promise.all(files)).join();
}

async function readRows(databaseUrl: string): Promise<string> {
  const names = "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'";
  const dumps = (await askPostgres(databaseUrl, names)).map((row) => {
    const { name } = row as { name: string };
    return askPostgres(databaseUrl, `select ${name}::text from ${name}`);
  });
  return JSON.stringify(await Promise.all(dumps));
}
