import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import { shownPath } from '../../command/shown-path.ts';
import type { Fault, PlanSource } from '../../features/explain/index.ts';
import { textsFromManifest } from '../../features/trusted/index.ts';
import { LocatedText } from '../../schema/locations.ts';
import { documentsInCode, isCode } from './code.ts';

const hasDocuments = (path: string): boolean => isCode(path) || /\.(graphqls?|gqls?)$/i.test(path);
const isManifest = (path: string): boolean => /\.json$/i.test(path);

/** The folders that nobody means by a folder above them, or by the `**` of a glob. */
const ignored = new Set(['node_modules', 'dist', 'build', 'coverage']);

const MEBIBYTE = 1024 * 1024;

/**
 * Reads the documents on standard input (`-`), in files, in all files below folders, and in the files that globs match,
 * without those after a `!`. The documents of code are its literals; a file that ends in `.json` is a manifest of
 * trusted documents. Starts no program, and follows no symbolic link: the files may be those of a stranger.
 */
export async function readDocuments(names: readonly string[]) {
  const excluded = names
    .filter((name) => name.startsWith('!'))
    .map((name) => globExpression(`${resolve(name.slice(1))}{,/**}`));
  const found: (PlanSource | Fault)[] = [];
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (name.startsWith('!')) continue;
    if (name === '-') {
      found.push(...documentsIn('standard input', await text(process.stdin)));
      continue;
    }
    try {
      for (const file of await filesOf(name)) {
        const path = resolve(file);
        if (seen.has(path) || excluded.some((one) => one.test(path))) continue;
        seen.add(path);
        found.push(...(await documentsInFile(file)));
      }
    } catch (error) {
      const file = await shownPath(name);
      const message = cannotRead(error);
      found.push(file === undefined ? { message: `FILE ${index + 1} ${message}` } : { file, message });
    }
  }
  return {
    sources: found.filter((one) => 'text' in one),
    faults: found.filter((one) => 'message' in one),
  };
}

function documentsInFile(file: string): Promise<(PlanSource | Fault)[]> {
  return readText(file).then(
    (text) => documentsIn(file, text),
    (error: unknown) => [{ file, message: cannotRead(error) }],
  );
}

/** The text of a file. Rejects if it is behind a symbolic link, too large, or not in UTF-8. */
export async function readText(path: string): Promise<string> {
  await rejectLinks(path);
  const stats = await stat(path);
  if (!stats.isFile()) throw new Error('it is not a regular file');
  const limit = isManifest(path) ? 32 : 1;
  if (stats.size > limit * MEBIBYTE) throw new Error(`it is larger than ${limit} MiB`);
  const bytes = await readFile(path);
  if (!isUtf8(bytes)) throw new Error('it is not in UTF-8');
  return bytes.toString();
}

/**
 * Rejects a path through a symbolic link, which could print any file of the machine. Links above the folder that
 * the path has in common with the working directory, and at the root of the disk, are those of the machine.
 */
async function rejectLinks(path: string): Promise<void> {
  const way = relative(process.cwd(), path);
  const [up = ''] = /^(?:\.\.(?:[\\/]|$))*/.exec(way) ?? [];
  const common = resolve(up);
  const [root = '', first = ''] = resolve(path).split(sep);
  const from = common === resolve('/') ? `${root}${sep}${first}` : common;
  if ((await realpath(path)) !== join(await realpath(from), relative(from, resolve(path))))
    throw new Error('it is behind a symbolic link');
}

/** True for a text that has nothing but comments: a document that is commented out, or not written yet. */
function isBlank(text: string): boolean {
  return text.replace(/#[^\r\n]*|[\s,]+/g, '') === '';
}

/** The files that a name stands for, in their order. Rejects if there are none. */
async function filesOf(name: string): Promise<string[]> {
  const isGlob = /[*?{]/.test(name) && !existsSync(name);
  // A glob is one below the folder that it begins with.
  const [folder = ''] = isGlob ? (/^(?:[^*?{]*\/)?/.exec(name) ?? []) : [name];
  const stats = await stat(folder || '.');
  if (!stats.isDirectory()) return [name];
  await rejectLinks(folder);
  const expression = globExpression(isGlob ? name : '**');
  const isWanted = (path: string) =>
    expression.test(path) && (hasDocuments(path) || (isManifest(path) && isGlob && name.includes('json')));
  const files = (await filesBelow(folder)).filter(isWanted).sort();
  if (files.length === 0) throw new Error('it matches no file with documents');
  return files;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder || '.', { withFileTypes: true });
  const files = entries.map((entry) => {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) return [];
    if (entry.isDirectory()) return ignored.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
  return (await Promise.all(files)).flat();
}

/** The expression of a glob: `*` and `?` within a name, `**` over folders, `{a,b}` for either. */
function globExpression(glob: string): RegExp {
  const sourceOf = (text: string): string =>
    text.replace(/\{[^{}]*\}|\*\*\/?|[^\w/]/g, (part) => {
      if (part.length > 2 && part.startsWith('{'))
        return `(?:${part.slice(1, -1).split(',').map(sourceOf).join('|')})`;
      return { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' }[part] ?? `\\${part}`;
    });
  return new RegExp(`^${sourceOf(glob)}$`);
}

function cannotRead(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return `cannot be read: ${code ?? message}`;
}

/** The documents in the text of a file, and what is wrong with it. */
export function documentsIn(file: string, text: string): (PlanSource | Fault)[] {
  if (isManifest(file)) return documentsInManifest(file, text);
  const located = new LocatedText(text);
  const placeAt = (position: number) => ({ file, ...located.locationAt(position) });
  const found = isCode(file) ? documentsInCode(file, text, placeAt) : [{ text, isTrusted: false, placeAt }];
  return found.filter((one) => !('text' in one && isBlank(one.text)));
}

/** The documents of a manifest. Their places are those within the text of the document. */
function documentsInManifest(file: string, json: string): (PlanSource | Fault)[] {
  const texts = textsFromManifest(json);
  if (typeof texts === 'string') return [{ file, message: texts }];
  return texts.map(([documentId, text]) => {
    if (typeof text !== 'string')
      return { file, documentId, line: 1, column: 1, message: 'a document must be a text' };
    const located = new LocatedText(text);
    return {
      text,
      isTrusted: true,
      placeAt: (position) => ({ file, documentId, ...located.locationAt(position) }),
    };
  });
}
