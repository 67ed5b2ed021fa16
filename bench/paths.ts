import { resolve } from 'node:path';

// From dist/, where this file is when it runs.
const bench = resolve(import.meta.dirname, '..');

/** A path below bench/. */
export function inBench(path: string): string {
  return resolve(bench, path);
}

/** A path below the project's root. */
export function inProject(path: string): string {
  return resolve(bench, '..', path);
}
