import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is deleted at the end of the test. A concurrent test gives its own `onFinished`. */
export async function makeFolder(onFinished = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-'));
  onFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** A manifest of trusted documents in a folder of its own. */
export async function writeManifest(documents: unknown) {
  const path = join(await makeFolder(), 'documents.json');
  await writeFile(path, JSON.stringify(documents));
  return { path };
}
