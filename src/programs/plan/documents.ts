import * as nodeFs from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { parseCode } from '@graphql-tools/graphql-tag-pluck';
import { type FileSystemAdapter, glob, isDynamicPattern } from 'tinyglobby';
import { LocatedText } from '../../locations.ts';
import type { Fault, PlanSource } from '../../operation/explain/planner.ts';
import { textsFromManifest } from '../../operation/trusted-documents.ts';
import { realPathOf } from './links.ts';

const CODE = /\.[cm]?[jt]sx?$/;
const DOCUMENTS = /\.(graphql|gql)$/;

/** Where documents are read from: the disk, or a commit. All paths are absolute. */
export interface FileTree {
  /** Whether a path is a folder, and not a file. Rejects where it cannot be read. */
  isFolder(path: string): Promise<boolean>;
  /** What globs read; the disk where a function is absent. */
  fs: FileSystemAdapter;
  /** The texts of files, in their order; an error in place of one that cannot be read. */
  readTexts(paths: readonly string[]): Promise<(string | Error)[]>;
}

type OnEntries = (error: Error | null, entries: nodeFs.Dirent[]) => void;

const readFolder = (path: nodeFs.PathLike, _: unknown, onEntries: OnEntries) =>
  void realPathOf(resolve(`${path}`))
    .then((real) => readdir(real, { withFileTypes: true }))
    .then((entries) => onEntries(null, entries))
    .catch((error: Error) => onEntries(error, []));

type OnPath = (error: null, path: string) => void;

/** A link that leaves the repository is found, but cannot be read. */
const findPath = (path: nodeFs.PathLike, onPath: OnPath) =>
  void realPathOf(resolve(`${path}`))
    .catch(() => `${path}`)
    .then((found) => onPath(null, found));

/** Without what is behind symbolic links that leave the repository. */
export const disk: FileTree = {
  async isFolder(path) {
    const isFolder = (await stat(await realPathOf(path))).isDirectory();
    // The library leaves out a folder that cannot be read.
    if (isFolder) await readdir(path);
    return isFolder;
  },
  // The types have all overloads of the functions, of which globs call one.
  fs: {
    readdir: Object.assign(readFolder, nodeFs.readdir),
    realpath: Object.assign(findPath, nodeFs.realpath),
  },
  async readTexts(paths) {
    const texts: (string | Error)[] = [];
    const read = async (path: string) => readFile(await realPathOf(path), 'utf8');
    // One at a time: a process may not open thousands of files at once.
    for (const path of paths) texts.push(await read(path).catch((error: Error) => error));
    return texts;
  },
};

/**
 * Reads the documents in files, in all files below folders, and in the files that globs match, without those
 * after a `!`. The documents of code are its template literals; a file that ends in `.json` is a manifest of
 * trusted documents.
 */
export async function readDocuments(names: readonly string[], tree: FileTree) {
  const { fs } = tree;
  const excluded = names.flatMap((name) => (name.startsWith('!') ? [name.slice(1)] : []));
  const isExcluded = new Set(excluded.length > 0 ? await glob(excluded, { absolute: true, fs }) : []);
  const files = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [index, name] of names.entries()) {
    if (name.startsWith('!')) continue;
    const found = await filesOf(name, tree).catch(cannotRead);
    if (typeof found === 'string') faults.push(await faultOf(name, index, found));
    else for (const file of found) if (!isExcluded.has(resolve(file))) files.set(resolve(file), file);
  }
  const texts = await tree.readTexts([...files.keys()]);
  const read = [...files.values()].flatMap((file, index) => documentsIn(file, texts[index]));
  return {
    sources: read.filter((one) => 'text' in one),
    faults: [...faults, ...read.filter((one) => 'message' in one)],
  };
}

/** The files that a name stands for, or why there are none. Rejects where one cannot be read. */
async function filesOf(name: string, { isFolder, fs }: FileTree): Promise<string[] | string> {
  const isKnownFolder = await isFolder(resolve(name)).catch((error: unknown) => {
    if (!isDynamicPattern(name)) throw error;
  });
  if (isKnownFolder === false) return [name];
  const ignore = '**/node_modules/**';
  const found = isKnownFolder
    ? (await glob('**', { cwd: name, ignore, fs })).map((file) => join(name, file))
    : await glob(name, { absolute: isAbsolute(name), ignore, expandDirectories: false, fs });
  // The library ignores nothing above the working directory.
  const isWanted = (file: string) =>
    (CODE.test(file) || DOCUMENTS.test(file) || name.endsWith('.json')) && !file.includes('/node_modules/');
  const wanted = found.filter(isWanted).sort();
  return wanted.length > 0 ? wanted : 'matches no file with documents';
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
    /^[a-z_./*-]{1,64}$|\.(graphql|gql|json|[cm]?[jt]sx?|log(\.\d{1,3})?)$/i.test(name) ||
    (start !== undefined && (await stat(start).catch(() => undefined)) !== undefined);
  return isPath ? name : undefined;
}

function cannotRead(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return `cannot be read: ${code ?? message}`;
}

function documentsIn(file: string, text: string | Error = ''): (PlanSource | Fault)[] {
  if (text instanceof Error) return [{ file, message: cannotRead(text) }];
  try {
    if (file.endsWith('.json')) return documentsInManifest(file, text);
    const located = new LocatedText(text);
    const documents = CODE.test(file) ? documentsInCode(file, text) : [{ text, start: 0 }];
    return documents.map(({ text, start }) => ({
      text,
      isTrusted: false,
      placeAt: (position: number) => ({ file, ...located.locationAt(start + position) }),
    }));
  } catch (error) {
    if (!(error instanceof Error) || !('loc' in error)) return [{ file, message: cannotRead(error) }];
    // The parser of code counts columns from 0, and repeats the place in the message.
    const { line, column } = error.loc as { line: number; column: number };
    return [{ file, line, column: column + 1, message: error.message.replace(/ \(\d+:\d+\)$/, '') }];
  }
}

/** The documents of code, and where they begin. */
function documentsInCode(filePath: string, code: string): { text: string; start: number }[] {
  const blank = (text: string) => text.replace(/[^\r\n]/g, ' ');
  const options = {
    // As long as in the code. An expression is a fragment of another text, which is found by its name.
    pluckStringFromFile: (code: string, { start, end }: { start?: number | null; end?: number | null }) =>
      code
        .slice((start ?? 0) + 1, (end ?? 0) - 1)
        .replace(/\$\{[^}]*\}/g, blank)
        .replaceAll('\\`', ' `'),
  };
  const plucked = parseCode({ code, filePath, options }).filter(({ content }) => content.trim() !== '');
  // Some are found twice: by the comment before them, and by their tag.
  const byStart = new Map(plucked.map(({ content, start }) => [start + 1, content]));
  return [...byStart].map(([start, text]) => ({ start, text }));
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

/** A string of JSON, with the colon after a name, or a bracket. */
const JSON_TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:\s*)?|[[\]{}]/g;

/** Where each document of a manifest begins, by its id: after its quote. */
function valueStarts(json: string): Map<string, number> {
  const starts = new Map<string, number>();
  // Those of an operation in Apollo's manifest.
  const own = new Map<string, number>();
  let depth = 0;
  for (const { 0: token, 1: name = '', 2: colon, index } of json.matchAll(JSON_TOKEN)) {
    if (token === '}' && depth === 3) {
      const id = stringAt(json, own.get('id') ?? index);
      starts.set(id, own.get('body') ?? index);
      own.clear();
    }
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    const start = index + token.length;
    const valueStart = json[start] === '"' ? start + 1 : start;
    if (colon && depth === 1) starts.set(JSON.parse(name), valueStart);
    if (colon && depth === 3) own.set(JSON.parse(name), valueStart);
  }
  return starts;
}

/** The string that begins here, after its quote. */
function stringAt(json: string, start: number): string {
  const [text] = /^[^"\\]*(?:\\.[^"\\]*)*/.exec(json.slice(start)) ?? [''];
  return JSON.parse(`"${text}"`);
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
