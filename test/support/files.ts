import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The folder of the repository. */
export const root = resolve(import.meta.dirname, '../..');

/** The text of a file, by its path from there. */
export const textOf = (path: string): string => readFileSync(resolve(root, path), 'utf8');

/** Whether a program of the machine can be run; warns if not, because the tests with it are skipped. */
export function isInstalled(program: string, ...args: string[]): boolean {
  const isThere = spawnSync(program, args.length > 0 ? args : ['--version']).status === 0;
  if (!isThere) console.warn(`skipped: ${program} is not installed`);
  return isThere;
}
