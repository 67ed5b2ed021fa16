import { readFile, stat } from 'node:fs/promises';
import { closestMatch } from 'leven';
import { isScalar, isSeq, type Node } from 'yaml';
import type { z } from 'zod';
import { entriesFromYaml } from './yaml.ts';

/** Settings as they are declared, by name. */
export type Declared = Readonly<Record<string, z.ZodType>>;

export interface FileSettings {
  /** Each setting's text, as the environment would have it. */
  texts: Record<string, string>;
  /** Where each stands: `portico.yaml:3`. */
  places: ReadonlyMap<string, string>;
  /** What is wrong with the file itself; whether a text is right, its setting says. */
  faults: string[];
}

const MAX_BYTES = 64 * 1024;
/** How far a name may be from the one that was meant; a short one only half as far as it is long. */
const MAX_TYPOS = 4;

/** Reads a file of settings. Does not reject: that it cannot be read is a fault of it. */
export async function readSettingsFile(path: string, declared: Declared): Promise<FileSettings> {
  const faulty = (fault: string) => ({ texts: {}, places: new Map(), faults: [`${path} ${fault}`] });
  try {
    const file = await stat(path);
    // To read from a pipe or a device could take forever, and a second time there would be nothing.
    if (!file.isFile()) return faulty('must be a file');
    if (file.size > MAX_BYTES) return faulty(`must be no larger than ${MAX_BYTES} bytes`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
    return settingsFromYaml(text, path, declared);
  } catch (error) {
    return faulty(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Settings from a text in YAML: a map of names to single values, and to lists where the setting is one. What stands
 * there without quotes counts as it is written, so that a line means what it means in the environment.
 */
export function settingsFromYaml(yaml: string, path: string, declared: Declared): FileSettings {
  const { entries, faults } = entriesFromYaml(yaml);
  const texts: Record<string, string> = {};
  const lines = new Map<string, number>();
  for (const { name, line, node } of entries) {
    const type = Object.hasOwn(declared, name) ? declared[name] : undefined;
    const before = lines.get(name);
    const read = type ? textFrom(node, type) : undefined;
    if (!read) faults.push({ line, text: wordsForUnknown(name, Object.keys(declared)) });
    else if (before !== undefined) faults.push({ line, text: `${name} is set in line ${before} already` });
    else if ('must' in read) faults.push({ line, text: `${name} must ${read.must}` });
    else texts[name] = read.text;
    lines.set(name, before ?? line);
  }
  const place = (line: number) => `${path}:${line}`;
  return {
    texts,
    places: new Map([...lines].map(([name, line]) => [name, place(line)])),
    faults: faults.sort((a, b) => a.line - b.line).map(({ line, text }) => `${place(line)}: ${text}`),
  };
}

type Read = { text: string } | { must: string };

function textFrom(node: Node | null, type: z.ZodType): Read {
  const text = isSeq<Node>(node) ? textFromList(node.items, type) : textFromScalar(node, type);
  if (text === undefined) return { must: isList(type) ? 'be a text or a list' : 'be a single value' };
  return /\p{Cc}/u.test(text) ? { must: 'be on one line, without control characters' } : { text };
}

function textFromList(items: readonly Node[], type: z.ZodType): string | undefined {
  const texts = items.map((item) => textFromScalar(item, type));
  return isList(type) && !texts.includes(undefined) ? texts.join(',') : undefined;
}

/** Of a number what is written: `0x10` is no whole number in the environment either. */
function textFromScalar(node: Node | null, type: z.ZodType): string | undefined {
  if (node === null) return '';
  if (!isScalar(node)) return undefined;
  const { value, source = '' } = node;
  if (value === null) return '';
  if (typeof value === 'string') return value;
  // Whoever writes the file by a program of YAML 1.1, and means `on`, may find `true` in it.
  const word = value === true ? 'on' : 'off';
  return typeof value === 'boolean' && takes(type, word) && !takes(type, source) ? word : source;
}

function takes(type: z.ZodType, text: string): boolean {
  return type.safeParse(text).success;
}

function isList(type: z.ZodType): boolean {
  return Array.isArray(type.safeParse(undefined).data);
}

function wordsForUnknown(name: string, names: readonly string[]): string {
  // Anything else may be a value that went astray.
  if (!/^[\w.-]{1,64}$/.test(name)) return 'there is a name that is no setting';
  const maxDistance = Math.min(MAX_TYPOS, Math.floor(name.length / 2));
  const meant = closestMatch(name.toUpperCase().replace(/\W/g, '_'), names, { maxDistance });
  return `${name} is no setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}
