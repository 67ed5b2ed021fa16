import { isUtf8 } from 'node:buffer';
import * as nodeFs from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type FileSystemAdapter, glob, isDynamicPattern } from 'tinyglobby';
import { shownPath } from '../../command/shown-path.ts';
import type { Fault, PlanSource } from '../../features/explain/index.ts';
import { textsFromManifest } from '../../features/trusted/index.ts';
import { LocatedText } from '../../locations.ts';
import { documentsInCode, isCode } from './code.ts';
import { git } from './git.ts';
import { realPathOf } from './links.ts';

const hasDocuments = (path: string): boolean => isCode(path) || /\.(graphqls?|gqls?)$/i.test(path);
const isManifest = (path: string): boolean => /\.json$/i.test(path);

/** What nobody means by a folder, or by the `**` of a glob. */
const ignore = ['**/node_modules/**', '**/.git/**'];

/** What globs read of a file or a folder. */
export type Entry = Pick<nodeFs.Dirent, 'name' | 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

/** Where documents are read from: the disk, or a commit. All paths are absolute. */
export interface FileTree {
  /** Whether a path is a folder, and not a file. Rejects where it cannot be read. */
  isFolder(path: string): Promise<boolean>;
  entriesOf(folder: string): Promise<Entry[]>;
  /** The path without symbolic links, by which a file is known; the same where one leaves the repository. */
  realPathOf(path: string): Promise<string>;
  /** The files and folders below a folder that git ignores; none where it ignores the folder itself. */
  ignoredIn(folder: string): Promise<ReadonlySet<string>>;
  /** The texts of files, in their order; an error in place of one that cannot be read. */
  readTexts(paths: readonly string[]): Promise<(string | Error)[]>;
}

const notUtf8 = new Error('it is not in UTF-8');

/** Without what is behind symbolic links that leave the repository. */
export const disk: FileTree = {
  async isFolder(path) {
    const isFolder = (await stat(await realPathOf(path))).isDirectory();
    // The library leaves out a folder that cannot be read.
    if (isFolder) await readdir(path);
    return isFolder;
  },
  entriesOf: async (folder) => readdir(await realPathOf(folder), { withFileTypes: true }),
  realPathOf: (path) => realPathOf(path).catch(() => path),
  async ignoredIn(folder) {
    const list = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
    // There may be no git, and no repository.
    const listed = await git(list, { cwd: folder }).catch(() => '');
    const paths = `${listed}`.split('\0').filter((name) => name !== '' && name !== './');
    return new Set(paths.map((name) => resolve(folder, name)));
  },
  async readTexts(paths) {
    const texts: (string | Error)[] = [];
    const read = async (path: string) => {
      const bytes = await readFile(await realPathOf(path));
      // The gateway does not start with such a manifest.
      if (isManifest(path) && !isUtf8(bytes)) throw notUtf8;
      return bytes.toString();
    };
    // One at a time: a process may not open thousands of files at once.
    for (const path of paths) texts.push(await read(path).catch((error: Error) => error));
    return texts;
  },
};

/**
 * Reads the documents in files, in all files below folders, and in the files that globs match, without those
 * after a `!`. The documents of code are its literals; a file that ends in `.json` is a manifest of trusted
 * documents. What a glob names and is not read is a fault.
 */
export async function readDocuments(names: readonly string[], tree: FileTree) {
  const fs = fileSystemOf(tree);
  const excluded = names.flatMap((name) => (name.startsWith('!') ? [name.slice(1)] : []));
  const isExcluded = new Set(
    excluded.length > 0 ? await glob(excluded, { absolute: true, dot: true, fs }) : [],
  );
  const files = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [index, name] of names.entries()) {
    if (name.startsWith('!')) continue;
    const found = await filesOf(name, tree, fs).catch(cannotRead);
    if (typeof found === 'string') faults.push(await faultOf(name, index, found));
    else
      for (const file of found)
        if (!isExcluded.has(resolve(file))) files.set(await tree.realPathOf(resolve(file)), file);
  }
  for (const [path, file] of files) {
    if (names.includes(file) || hasDocuments(file) || isManifest(file)) continue;
    files.delete(path);
    const [ending = file] = /\.[^./]+$/.exec(file) ?? [];
    const message = `no documents are read from such files: exclude them with '!**/*${ending}'`;
    faults.push({ file, message });
  }
  const texts = await tree.readTexts([...files.keys()]);
  const read = [...files.values()].flatMap((file, index) => documentsIn(file, texts[index]));
  return {
    sources: read.filter((one) => 'text' in one).filter(({ text, isTrusted }) => isTrusted || !isBlank(text)),
    faults: [...faults, ...read.filter((one) => 'message' in one)],
  };
}

type Done<T> = (error: Error | null, found: T) => void;

/** A tree as globs read it. The types have all overloads of the functions, of which globs call one. */
function fileSystemOf({ entriesOf, realPathOf }: FileTree): FileSystemAdapter {
  const readFolder = (path: nodeFs.PathLike, _: unknown, done: Done<Entry[]>) =>
    void entriesOf(resolve(`${path}`)).then(
      (entries) => done(null, entries),
      (error: Error) => done(error, []),
    );
  const findPath = (path: nodeFs.PathLike, done: Done<string>) =>
    void realPathOf(resolve(`${path}`)).then((found) => done(null, found));
  return {
    readdir: Object.assign(readFolder, nodeFs.readdir),
    realpath: Object.assign(findPath, nodeFs.realpath),
  };
}

/** Whether a text has nothing but comments: a document that is commented out, or not written yet. */
function isBlank(text: string): boolean {
  return text.replace(/#[^\r\n]*|[\s,]+/g, '') === '';
}

/** The files that a name stands for, or why there are none. Rejects where one cannot be read. */
async function filesOf(
  name: string,
  { isFolder, ignoredIn }: FileTree,
  fs: FileSystemAdapter,
): Promise<string[] | string> {
  const isKnownFolder = await isFolder(resolve(name)).catch((error: unknown) => {
    if (!isDynamicPattern(name)) throw error;
  });
  if (isKnownFolder === false) return [name];
  const folder = isKnownFolder ? name : folderOf(name);
  const ignored = await ignoredIn(resolve(folder));
  const isIgnored = (path: string): boolean =>
    ignored.has(path) || (dirname(path) !== path && isIgnored(dirname(path)));
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
    !isIgnored(resolve(file));
  const wanted = found.filter(isWanted).sort();
  return wanted.length > 0 ? wanted : 'matches no file with documents';
}

/** The folder that a glob begins with. */
function folderOf(pattern: string): string {
  const names = pattern.split('/');
  const first = names.findIndex((name) => isDynamicPattern(name));
  return names.slice(0, first).join('/') || (isAbsolute(pattern) ? '/' : '.');
}

async function faultOf(name: string, index: number, message: string): Promise<Fault> {
  const file = await shownPath(name);
  return file === undefined ? { message: `FILE ${index + 1} ${message}` } : { file, message };
}

function cannotRead(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return `cannot be read: ${code ?? message}`;
}

function documentsIn(file: string, text: string | Error = ''): (PlanSource | Fault)[] {
  if (text instanceof Error) return [{ file, message: cannotRead(text) }];
  // The byte order mark of UTF-16, read as UTF-8: code would seem to have no documents.
  if (text.startsWith('\ufffd\ufffd')) return [{ file, message: cannotRead(notUtf8) }];
  const located = new LocatedText(text);
  const placeAt = (position: number) => ({ file, ...located.locationAt(position) });
  try {
    if (isManifest(file)) return documentsInManifest(file, text);
    return isCode(file) ? documentsInCode(file, text, placeAt) : [{ text, isTrusted: false, placeAt }];
  } catch (error) {
    return [{ file, message: cannotRead(error) }];
  }
}

function documentsInManifest(file: string, json: string): (PlanSource | Fault)[] {
  const texts = textsFromManifest(json);
  if (typeof texts === 'string') return [{ file, message: texts }];
  const starts = valueStarts(json);
  const located = new LocatedText(json);
  return texts.map(([documentId, text]) => {
    const start = starts.get(documentId) ?? 0;
    const lengthOf = createLengthInJson(json.slice(start));
    const placeAt = (position: number) => ({
      file,
      documentId,
      ...located.locationAt(start + lengthOf(position)),
    });
    if (typeof text === 'string') return { text, isTrusted: true, placeAt };
    return { ...placeAt(0), message: 'a document must be a text' };
  });
}

/** A string of JSON, with its value if it is the name of one that is a string; or the end of an object. */
const JSON_PART = /("[^"\\]*(?:\\.[^"\\]*)*")(?:\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*")?)?|\}/g;

/** Where each document of a manifest begins, by its id: after its quote. */
function valueStarts(json: string): Map<string, number> {
  const starts = new Map<string, number>();
  // Of an operation in Apollo's manifest.
  let [id, body] = ['""', 0];
  for (const { 0: part, 1: name = '""', 2: value = '', index } of json.matchAll(JSON_PART)) {
    const start = index + part.length - value.length + (value === '' ? 0 : 1);
    starts.set(JSON.parse(name), start);
    if (name === '"id"' && value !== '') id = value;
    if (name === '"body"') body = start;
    if (part === '}') starts.set(JSON.parse(id), body);
  }
  return starts;
}

/**
 * Creates a function that returns how many characters of a JSON string its first `count` characters take; in
 * ascending order each is read once.
 */
function createLengthInJson(json: string): (count: number) => number {
  const character = /\\u[\da-f]{4}|\\?./gis;
  let read = 0;
  return (count) => {
    if (count < read) read = character.lastIndex = 0;
    for (; read < count; read += 1) character.exec(json);
    return character.lastIndex;
  };
}
