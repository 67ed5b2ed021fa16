import { readFile, stat } from 'node:fs/promises';
import { closestMatch } from 'leven';
import {
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import type { z } from 'zod';
import type { Declared } from './kinds.ts';

export interface FileSettings {
  /** The text of each setting, as the environment would have it. */
  texts: Record<string, string>;
  /** The place of each setting: `portico.yaml:3`. */
  places: ReadonlyMap<string, string>;
  /** Faults of the file itself. They repeat no value, which may be secret; the values are validated later. */
  faults: string[];
}

const MAX_BYTES = 64 * 1024;
/** The library recurses while it builds a document, and a text of brackets alone would exhaust the stack. */
const MAX_NESTING = 20;
/** Maximum distance of a misspelt name from the one to suggest; half the length of a short one. */
const MAX_TYPOS = 4;
const mustBeMap = 'must be a map of settings, such as PORT: 4000';

/** Reads a configuration file. Does not reject: a file that cannot be read is a fault. */
export async function readSettingsFile(path: string, declared: Declared): Promise<FileSettings> {
  const faulty = (fault: string) => ({ texts: {}, places: new Map(), faults: [`${path} ${fault}`] });
  try {
    const file = await stat(path);
    // A pipe or a device could block forever, and has nothing to read the second time.
    if (!file.isFile()) return faulty('must be a file');
    if (file.size > MAX_BYTES) return faulty(`must be no larger than ${MAX_BYTES} bytes`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
    return settingsFromYaml(text, path, declared);
  } catch (error) {
    return faulty(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Reads a flat YAML 1.2 map of names to scalars, and to lists where the setting is a list. A plain scalar counts as it is
 * written, so that a line means the same as in the environment.
 */
export function settingsFromYaml(yaml: string, path: string, declared: Declared): FileSettings {
  const texts: Record<string, string> = {};
  const places = new Map<string, string>();
  const faults: { line: number; text: string }[] = [];
  const result = () => ({
    texts,
    places,
    faults: faults.sort((a, b) => a.line - b.line).map(({ line, text }) => `${path}:${line}: ${text}`),
  });
  if (isNestedTooDeep(yaml)) {
    faults.push({ line: 1, text: mustBeMap });
    return result();
  }

  const lineCounter = new LineCounter();
  const addFault = (offset: number | undefined, text: string) =>
    void faults.push({ line: Math.max(1, lineCounter.linePos(offset ?? 0).line), text });
  const document = parseDocument(yaml, {
    schema: 'core',
    stringKeys: true,
    prettyErrors: false,
    lineCounter,
  });
  for (const error of document.errors) addFault(error.pos[0], messageFrom(error));
  // After any other error the library guesses what the rest means.
  if (document.errors.some(({ code }) => code !== 'DUPLICATE_KEY')) return result();

  visit(document, {
    Alias: (_, node) => addFault(node.range?.[0], 'must hold no alias'),
    Value(_, node) {
      if (node.anchor !== undefined) addFault(node.range?.[0], 'must hold no anchor');
      if (node.tag !== undefined) addFault(node.range?.[0], 'must hold no tag');
    },
  });
  const { contents } = document;
  if (contents !== null && !isMap(contents)) addFault(contents.range?.[0], mustBeMap);
  for (const { key, value } of isMap<Node, Node | null>(contents) ? contents.items : []) {
    const name = isScalar(key) ? String(key.value) : '';
    const offset = key.range?.[0];
    const type = Object.hasOwn(declared, name) ? declared[name] : undefined;
    const text = type && textFrom(value, type);
    if (!type) addFault(offset, unknownName(name, Object.keys(declared)));
    else if (text === undefined)
      addFault(offset, `${name} must be ${isList(type) ? 'a text or a list' : 'a single value'}`);
    else if (/\p{Cc}/u.test(text))
      addFault(offset, `${name} must be on one line, without control characters`);
    else texts[name] = text;
    places.set(name, `${path}:${lineCounter.linePos(offset ?? 0).line}`);
  }
  return result();
}

/** Measured by the parser, which does not recurse. */
function isNestedTooDeep(text: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > MAX_NESTING) return true;
  }
  return false;
}

/** The message of the library, without its quotes from the text. */
function messageFrom({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'is not YAML: there is more than one document';
  const quotes = code === 'UNEXPECTED_TOKEN' || code === 'BAD_DQ_ESCAPE';
  return `is not YAML: ${quotes ? message.replace(/: .*| \\.*/s, '') : message}`;
}

function textFrom(node: Node | null, type: z.ZodType): string | undefined {
  if (!isSeq<Node>(node)) return textFromScalar(node, type);
  const texts = node.items.map((item) => textFromScalar(item, type));
  return isList(type) && !texts.includes(undefined) ? texts.join(',') : undefined;
}

/** A number as it is written: `0x10` is no whole number in the environment either. */
function textFromScalar(node: Node | null, type: z.ZodType): string | undefined {
  if (node === null) return '';
  if (!isScalar(node)) return undefined;
  const { value, source = '' } = node;
  if (value === null) return '';
  if (typeof value === 'string') return value;
  // Programs that write YAML 1.1 turn `on` into `true`.
  const word = value === true ? 'on' : 'off';
  return typeof value === 'boolean' && accepts(type, word) && !accepts(type, source) ? word : source;
}

function accepts(type: z.ZodType, text: string): boolean {
  return type.safeParse(text).success;
}

function isList(type: z.ZodType): boolean {
  return Array.isArray(type.safeParse(undefined).data);
}

function unknownName(name: string, names: readonly string[]): string {
  // Anything else may be a misplaced value.
  if (!/^[\w.-]{1,64}$/.test(name)) return 'a name is not a setting';
  const maxDistance = Math.min(MAX_TYPOS, Math.floor(name.length / 2));
  const meant = closestMatch(name.toUpperCase().replace(/\W/g, '_'), names, { maxDistance });
  return `${name} is not a setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
