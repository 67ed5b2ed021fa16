import { readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { parseCode } from '@graphql-tools/graphql-tag-pluck';
import { getLocation, Source } from 'graphql';
import { glob, isDynamicPattern } from 'tinyglobby';
import type { Fault, PlanSource } from '../operation/explain/planner.ts';
import { textsFromManifest } from '../operation/trusted-documents.ts';

interface Documents {
  sources: PlanSource[];
  faults: Fault[];
}

const CODE = /\.[cm]?[jt]sx?$/;
const DOCUMENTS = /\.(graphql|gql)$/;

/**
 * Reads the documents in files, in all files below folders, and in the files that globs match, without those
 * after a `!`. The documents of code are its template literals; a file that ends in `.json` is a manifest of
 * trusted documents.
 */
export async function readDocuments(names: readonly string[]): Promise<Documents> {
  const excluded = names.flatMap((name) => (name.startsWith('!') ? [name.slice(1)] : []));
  const isExcluded = new Set(excluded.length > 0 ? await glob(excluded, { absolute: true }) : []);
  const files = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [index, name] of names.entries()) {
    if (name.startsWith('!')) continue;
    try {
      const found = await filesOf(name);
      if (found.length === 0) faults.push(await faultOf(name, index, 'matches no file with documents'));
      for (const file of found) if (!isExcluded.has(resolve(file))) files.set(resolve(file), file);
    } catch (error) {
      faults.push(await faultOf(name, index, cannotRead(error)));
    }
  }
  const read = await Promise.all([...files.values()].map(readFrom));
  return {
    sources: read.flatMap(({ sources }) => sources),
    faults: [...faults, ...read.flatMap((documents) => documents.faults)],
  };
}

/** Rejects where a file or a folder cannot be read. */
async function filesOf(name: string): Promise<string[]> {
  const known = await stat(name).catch((error: unknown) => {
    if (!isDynamicPattern(name)) throw error;
  });
  if (known && !known.isDirectory()) return [name];
  // The library leaves out a folder that cannot be read.
  if (known) await readdir(name);
  const ignore = '**/node_modules/**';
  const found = known
    ? (await glob('**', { cwd: name, ignore })).map((file) => join(name, file))
    : await glob(name, { absolute: isAbsolute(name), ignore, expandDirectories: false });
  // The library ignores nothing above the working directory.
  const isWanted = (file: string) =>
    (CODE.test(file) || DOCUMENTS.test(file) || name.endsWith('.json')) && !file.includes('/node_modules/');
  return found.filter(isWanted).sort();
}

/** Names the argument, unless it may be a misplaced API key: a path has a known ending, or a first folder. */
async function faultOf(name: string, index: number, message: string): Promise<Fault> {
  const [start] = /^\/?[^/]+(?=\/)/.exec(name) ?? [];
  const isPath =
    /^[a-z_./*-]{1,64}$|\.(graphql|gql|json|[cm]?[jt]sx?)$/i.test(name) ||
    (start !== undefined && (await stat(start).catch(() => undefined)) !== undefined);
  return isPath ? { file: name, message } : { message: `FILE ${index + 1} ${message}` };
}

function cannotRead(error: unknown): string {
  return `cannot be read: ${(error as NodeJS.ErrnoException).code ?? error}`;
}

async function readFrom(file: string): Promise<Documents> {
  try {
    const text = await readFile(file, 'utf8');
    if (file.endsWith('.json')) return documentsInManifest(file, text);
    const source = new Source(text);
    const documents = CODE.test(file) ? documentsInCode(file, text) : [{ text, start: 0 }];
    const sources = documents.map(({ text, start }) => ({
      text,
      isTrusted: false,
      placeAt: (position: number) => ({ file, ...getLocation(source, start + position) }),
    }));
    return { sources, faults: [] };
  } catch (error) {
    if (!(error instanceof Error) || !('loc' in error)) {
      return { sources: [], faults: [{ file, message: cannotRead(error) }] };
    }
    // The parser of code counts columns from 0, and repeats the place in the message.
    const { line, column } = error.loc as { line: number; column: number };
    const message = error.message.replace(/ \(\d+:\d+\)$/, '');
    return { sources: [], faults: [{ file, line, column: column + 1, message }] };
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

function documentsInManifest(file: string, json: string): Documents {
  const texts = textsFromManifest(json);
  if (typeof texts === 'string') return { sources: [], faults: [{ file, message: texts }] };
  const starts = valueStarts(json);
  const source = new Source(json);
  const documents: Documents = { sources: [], faults: [] };
  for (const [documentId, text] of texts) {
    const start = starts.get(documentId) ?? 0;
    const placeAt = (position: number) => ({
      file,
      documentId,
      ...getLocation(source, start + lengthInJson(json.slice(start), position)),
    });
    if (typeof text === 'string') documents.sources.push({ text, isTrusted: true, placeAt });
    else documents.faults.push({ ...placeAt(0), message: 'a document must be a text' });
  }
  return documents;
}

/** Where each value of a JSON object begins, by its name: a string after its quote. */
function valueStarts(json: string): Map<string, number> {
  const starts = new Map<string, number>();
  let depth = 0;
  let name: string | undefined;
  for (const { 0: token, index } of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[^\s,:"[\]{}]+/g)) {
    const isClosing = token === '}' || token === ']';
    if (depth === 1 && !isClosing) {
      if (name === undefined) name = JSON.parse(token) as string;
      else {
        starts.set(name, token.startsWith('"') ? index + 1 : index);
        name = undefined;
      }
    }
    if (isClosing) depth -= 1;
    else if (token === '{' || token === '[') depth += 1;
  }
  return starts;
}

/** How many characters of a JSON string its first `count` characters take. */
function lengthInJson(json: string, count: number): number {
  const character = /\\u[\da-f]{4}|\\?./gis;
  for (let n = 0; n < count; n += 1) character.exec(json);
  return character.lastIndex;
}
