import { stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { startDatabase } from '../database.ts';
import type { ReferenceOptions } from '../server.ts';
import { exportFile, exportTo } from './export.ts';
import { importFile } from './import.ts';
import { createProgress } from './progress.ts';

/** What the arguments of the process ask for. */
export type Command =
  | { name: 'serve' }
  | { name: 'import'; path: string; skipBad: boolean }
  | { name: 'export'; path: string | undefined }
  | { name: 'help' };

type Settings = Pick<ReferenceOptions, 'databaseUrl' | 'siteIdPrefix'>;

export const usage = `usage: reference                           serve the API
       reference import FILE [--skip-bad]   load sites and conversations from NDJSON
       reference export [FILE]              write them, to the standard output without FILE
       reference --help                     list the commands and the settings`;

const options = {
  'skip-bad': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const BAD_LINES_SHOWN = 100;

/** Null for arguments that ask for nothing there is. */
export function commandFromArguments(args: string[]): Command | null {
  const parsed = parsedFrom(args);
  if (!parsed) return null;
  if (parsed.values.help) return { name: 'help' };
  const [name = 'serve', path, extra] = parsed.positionals;
  const skipBad = parsed.values['skip-bad'] ?? false;
  if (name === 'import' && path !== undefined && extra === undefined) return { name, path, skipBad };
  if (skipBad || extra !== undefined) return null;
  if (name === 'export') return { name, path };
  return name === 'serve' && parsed.positionals.length === 0 ? { name } : null;
}

/** Brings the database up to date and loads the file, telling of it on the standard streams. */
export async function runImport(settings: Settings, path: string, skipBad: boolean): Promise<void> {
  const { size } = await stat(path);
  await withDatabase(settings, async (db) => {
    const progress = createProgress(size, process.stderr);
    const bad: string[] = [];
    let badCount = 0;
    const onBad = (line: number, fault: string) => {
      badCount += 1;
      if (bad.length < BAD_LINES_SHOWN) bad.push(`line ${line}: ${fault}`);
    };
    try {
      const { siteIdPrefix } = settings;
      const onProgress = progress.update;
      const count = await importFile(db, path, { siteIdPrefix, skipBad, onBad, onProgress });
      console.log(`imported ${count.sites} sites and ${count.conversations} conversations`);
    } finally {
      progress.stop();
      for (const line of bad) console.error(line);
      if (badCount > bad.length) console.error(`and ${badCount - bad.length} more bad lines`);
    }
  });
}

/** Brings the database up to date and writes it to the file, or to the standard output. */
export async function runExport(settings: Settings, path: string | undefined): Promise<void> {
  await withDatabase(settings, (db) =>
    path === undefined ? exportTo(db, process.stdout) : exportFile(db, path),
  );
}

async function withDatabase(
  { databaseUrl }: Settings,
  work: (db: Awaited<ReturnType<typeof startDatabase>>) => Promise<void>,
): Promise<void> {
  const db = await startDatabase(databaseUrl);
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}

function parsedFrom(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch {
    return null;
  }
}
