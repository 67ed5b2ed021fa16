import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

const textOf = (file: string) => readFileSync(resolve(root, file), 'utf8');

/** The lines of a file, by its path from the root of the repository; 0 if there is none. */
export function linesOf(file: string): number {
  return existsSync(resolve(root, file)) ? textOf(file).split('\n').length - 1 : 0;
}

/** The files that git knows below a folder: of TypeScript, if nothing else is said. */
export function filesIn(folder: string, name = /\.tsx?$/): string[] {
  const listed = execFileSync('git', ['ls-files', folder], { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((file) => name.test(file) && existsSync(resolve(root, file)));
}

export const sum = (files: readonly string[]) => files.reduce((total, file) => total + linesOf(file), 0);

/** The words of the pages: docs with the decisions, and README. */
export function words(): number {
  const pages = [...filesIn('docs', /\.md$/), 'README.md'];
  return pages.flatMap((file) => textOf(file).split(/\s+/).filter(Boolean)).length;
}

/** The files that the hour of reading names (docs/architecture.md), in its order. */
export function readSpine(): string[] {
  const section = /^## The hour of reading\n([\s\S]*?)^## /m.exec(textOf('docs/architecture.md'))?.[1] ?? '';
  return [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => `src/${file}`);
}

/** The feature or program that a file belongs to; undefined for the core. */
export function partOf(file: string): string | undefined {
  return /^src\/((?:features|programs)\/[^/]+)\//.exec(file)?.[1];
}
