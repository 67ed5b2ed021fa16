import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startReference as openReference, type ReferenceOptions } from '../../src/reference/server.ts';

/** The reference with its demo data, on a free port and a new database, closed at the end of the test. */
export async function startReference(options: Partial<ReferenceOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'portico-'));
  const paths: string[] = [];
  const reference = await openReference({
    databaseUrl: `file:${join(folder, 'reference.db')}`,
    environment: 'test',
    siteIdPrefix: 'SITE',
    host: '127.0.0.1',
    port: 0,
    onRequest: ({ path }) => paths.push(path),
    ...options,
  });
  onTestFinished(async () => {
    await reference.close();
    await rm(folder, { recursive: true });
  });
  return { url: reference.url, paths };
}
