import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The folder of the project. */
export const root = resolve(import.meta.dirname, '..');

/** A file that a build writes. */
export interface OutputFile {
  path: string;
  contents: Uint8Array;
}

/** Writes only files that have changed, because a program of the folder may be starting at this moment. */
export function writeOutput(files: readonly OutputFile[]): void {
  for (const { path, contents } of files) {
    if (existsSync(path) && readFileSync(path).equals(contents)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents, { mode: path.endsWith('.js') ? 0o755 : 0o644 });
  }
}

/** Deletes every file below `folder` that is not one of `kept`. */
export function deleteOthers(folder: string, kept: readonly string[]): void {
  const paths = new Set(kept);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !paths.has(path)) rmSync(path);
  }
}
