import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { type ReferenceDatabase, startDatabase } from '../../src/reference/database.ts';
import { exportTo } from '../../src/reference/transfer/export.ts';
import { type ImportOptions, importFile } from '../../src/reference/transfer/import.ts';

const nowhere = { address1: null, address2: null, city: null, state: null, zip: null };

export const siteLine = (partner: string, id: string, more: object = {}) =>
  JSON.stringify({ partner, kind: 'site', site: { id, ...nowhere, ...more }, clients: [], projects: [] });

export const conversationLine = (partner: string, id: string, context: object = {}) =>
  JSON.stringify({ partner, kind: 'conversation', id, context });

/** A path in a folder that goes away with the test. */
export async function freshPath(name = 'rows.ndjson'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reference-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, name);
}

export async function fileOf(lines: readonly (string | Buffer)[]): Promise<string> {
  const path = await freshPath();
  await writeFile(
    path,
    Buffer.concat(lines.map((line) => Buffer.concat([Buffer.from(line), Buffer.from('\n')]))),
  );
  return path;
}

/** A database that is open until the test ends, empty when it is new. */
export async function startEmpty(url: string): Promise<ReferenceDatabase> {
  const db = await startDatabase(url, async () => {});
  onTestFinished(() => db.destroy());
  return db;
}

export async function importLines(
  db: ReferenceDatabase,
  lines: readonly (string | Buffer)[],
  changes: Partial<ImportOptions> = {},
) {
  return importFile(db, await fileOf(lines), { siteIdPrefix: 'SITE', skipBad: false, ...changes });
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
