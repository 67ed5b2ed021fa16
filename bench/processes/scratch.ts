import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that is removed when this process exits. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-bench-'));
  folders.push(folder);
  return folder;
}
