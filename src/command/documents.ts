import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { getLocation, Source } from 'graphql';
import { type FileSystemAdapter, glob, isDynamicPattern } from 'tinyglobby';
import type { Fault, PlanSource } from '../operation/explain/planner.ts';
import { textsFromManifest } from '../operation/trusted-documents.ts';
import { asSent } from './client-directives.ts';
import { documentsInCode, isCode } from './code.ts';
import { git } from './git.ts';

const hasDocuments = (path: string): boolean => isCode(path) || /\.(graphqls?|gqls?)$/i.test(path);
const isManifest = (path: string): boolean => /\.json$/i.test(path);

/** What nobody means by a folder, or by the `**` of a glob. */
const ignore = ['**/node_modules/**', '**/.git/**'];

/** Where documents are read from: the disk, or a commit. All paths are absolute. */
export interface FileTree {
  /** Whether a path is a folder, and not a file. Rejects where it cannot be read. */
  isFolder(path: string): Promise<boolean>;
  /** What globs read; the disk where a function is absent. */
  fs: FileSystemAdapter;
  /** The files and folders below a folder that git ignores; none where it ignores the folder itself. */
  ignoredIn(folder: string): Promise<ReadonlySet<string>>;
  /** The texts of files, in their order; an error in place of one that cannot be read. */
  readTexts(paths: readonly string[]): Promise<(string | Error)[]>;
}

export const disk: FileTree = {
  async isFolder(path) {
    const isFolder = (await stat(path)).isDirectory();
    // The library leaves out a folder that cannot be read.
    if (isFolder) await readdir(path);
    return isFolder;
  },
  fs: {},
  async ignoredIn(folder) {
    const list = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
    // There may be no git, and no repository.
    const listed = await git(list, { cwd: folder }).catch(() => '');
    const paths = `${listed}`.split('\0').filter((name) => name !== '' && name !== './');
    return new Set(paths.map((name) => resolve(folder, name)));
  },
  async readTexts(paths) {
    const texts: (string | Error)[] = [];
    // One at a time: a process may not open thousands of files at once.
    for (const path of paths) texts.push(await readFile(path, 'utf8').catch((error: Error) => error));
    return texts;
  },
};

/**
 * Reads the documents in files, in all files below folders, and in the files that globs match, without those
 * after a `!`, as clients send them. The documents of code are its literals; a file that ends in `.json` is a
 * manifest of trusted documents. What a glob names and is not read is a fault.
 */
export async function readDocuments(names: readonly string[], tree: FileTree) {
  const { fs } = tree;
  const excluded = names.flatMap((name) => (name.startsWith('!') ? [name.slice(1)] : []));
  const isExcluded = new Set(
    excluded.length > 0 ? await glob(excluded, { absolute: true, dot: true, fs }) : [],
  );
  const files = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [index, name] of names.entries()) {
    if (name.startsWith('!')) continue;
    const found = await filesOf(name, tree).catch(cannotRead);
    if (typeof found === 'string') faults.push(await faultOf(name, index, found));
    else for (const file of found) if (!isExcluded.has(resolve(file))) files.set(resolve(file), file);
  }
  for (const [path, file] of files) {
    if (names.includes(file) || hasDocuments(file) || isManifest(file)) continue;
    files.delete(path);
    const [ending = file] = /\.[^./]+$/.exec(file) ?? [];
    faults.push({
      file,
      message: `no documents are read from such files: exclude them with '!**/*${ending}'`,
    });
  }
  const texts = await tree.readTexts([...files.keys()]);
  const read = [...files.values()].flatMap((file, index) => documentsIn(file, texts[index]));
  const sent = asSent(read.filter((one) => 'text' in one));
  return {
    sources: sent.sources,
    faults: [...faults, ...read.filter((one) => 'message' in one), ...sent.faults],
  };
}

/** The files that a name stands for, or why there are none. Rejects where one cannot be read. */
async function filesOf(name: string, { isFolder, fs, ignoredIn }: FileTree): Promise<string[] | string> {
  const isKnownFolder = await isFolder(resolve(name)).catch((error: unknown) => {
    if (!isDynamicPattern(name)) throw error;
  });
  if (isKnownFolder === false) return [name];
  const folder = isKnownFolder ? name : folderOf(name);
  const ignored = await ignoredIn(resolve(folder));
  const options = { ignore, dot: true, fs };
  const found = isKnownFolder
    ? (await glob('**', { cwd: name, ...options })).map((file) => join(name, file))
    : await glob(name, { absolute: isAbsolute(name), expandDirectories: false, ...options });
  // `src/**/*.{ts,vue}` names kinds of files, `src/**` does not.
  const namesKinds = !isKnownFolder && /\.[^/*]+$/.test(name);
  const isWanted = (file: string) =>
    (namesKinds || hasDocuments(file)) &&
    // The library ignores nothing above the working directory.
    !/\/(node_modules|\.git)\//.test(file) &&
    !pathsTo(resolve(file)).some((path) => ignored.has(path));
  const wanted = found.filter(isWanted).sort();
  return wanted.length > 0 ? wanted : 'matches no file with documents';
}

/** The folder that a glob begins with. */
function folderOf(pattern: string): string {
  const names = pattern.split('/');
  return (
    names
      .slice(
        0,
        names.findIndex((name) => isDynamicPattern(name)),
      )
      .join('/') || (isAbsolute(pattern) ? '/' : '.')
  );
}

/** A path, and the folders that it is in. */
function pathsTo(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [path] : [path, ...pathsTo(folder)];
}

async function faultOf(name: string, index: number, message: string): Promise<Fault> {
  const file = await shownPath(name);
  return file === undefined ? { message: `FILE ${index + 1} ${message}` } : { file, message };
}

/**
 * Returns an argument as a message may show it; undefined where it may be a misplaced API key. A path has a
 * known ending, or a first folder.
 */
export async function shownPath(name: string): Promise<string | undefined> {
  const [start] = /^\/?[^/]+(?=\/)/.exec(name) ?? [];
  const isPath =
    /^[a-z_./*-]{1,64}$|\.(graphqls?|gqls?|json|[cm]?[jt]sx?|flow|vue|svelte|astro|log(\.\d{1,3})?(\.gz)?)$/i.test(
      name,
    ) ||
    (start !== undefined && (await stat(start).catch(() => undefined)) !== undefined);
  return isPath ? name : undefined;
}

function cannotRead(error: unknown): string {
  return `cannot be read: ${(error as NodeJS.ErrnoException).code ?? error}`;
}

function documentsIn(file: string, text: string | Error = ''): (PlanSource | Fault)[] {
  if (text instanceof Error) return [{ file, message: cannotRead(text) }];
  const source = new Source(text);
  const placeAt = (position: number) => ({ file, ...getLocation(source, position) });
  try {
    if (isManifest(file)) return documentsInManifest(file, text);
    const documents = isCode(file) ? documentsInCode(file, text) : [{ text, originalOf: Number }];
    return documents.map((found) =>
      'text' in found
        ? { text: found.text, isTrusted: false, placeAt: (position) => placeAt(found.originalOf(position)) }
        : { ...placeAt(found.position), message: found.message },
    );
  } catch (error) {
    return [{ file, message: cannotRead(error) }];
  }
}

function documentsInManifest(file: string, json: string): (PlanSource | Fault)[] {
  const texts = textsFromManifest(json);
  if (typeof texts === 'string') return [{ file, message: texts }];
  const starts = valueStarts(json);
  const source = new Source(json);
  return texts.map(([documentId, text]) => {
    const start = starts.get(documentId) ?? 0;
    const placeAt = (position: number) => ({
      file,
      documentId,
      ...getLocation(source, start + lengthInJson(json.slice(start), position)),
    });
    if (typeof text === 'string') return { text, isTrusted: true, placeAt };
    return { ...placeAt(0), message: 'a document must be a text' };
  });
}

/** A string of JSON, with the colon after a name, or a bracket. */
const JSON_TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:\s*)?|[[\]{}]/g;

/** Where each value of a JSON object begins, by its name: a string after its quote. */
function valueStarts(json: string): Map<string, number> {
  const starts = new Map<string, number>();
  let depth = 0;
  for (const { 0: token, 1: name = '', 2: colon, index } of json.matchAll(JSON_TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    const start = index + token.length;
    if (depth === 1 && colon) starts.set(JSON.parse(name), json[start] === '"' ? start + 1 : start);
  }
  return starts;
}

/** How many characters of a JSON string its first `count` characters take. */
function lengthInJson(json: string, count: number): number {
  const character = /\\u[\da-f]{4}|\\?./gis;
  for (let n = 0; n < count; n += 1) character.exec(json);
  return character.lastIndex;
}
