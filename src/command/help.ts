import { readFileSync } from 'node:fs';
import type { Declared } from '../config/file.ts';

const WIDTH = 100;
const MARGIN = 34;

/** Each heading with the setting that comes first below it; they are in the order of the settings. */
export const groups: ReadonlyMap<string, string> = new Map([
  ['PORT', 'The gateway and its callers'],
  ['UPSTREAM_URL', 'The REST API'],
  ['CACHE_TTL_MS', 'The cache'],
  ['OPERATION_TIMEOUT_MS', 'Operations'],
  ['MAX_DOCUMENT_CHARACTERS', 'Documents, and what an operation may ask for'],
  ['DOCUMENT_CACHE_BYTES', 'Documents that came before'],
  ['GRAPHIQL', 'Who may do what'],
  ['REFERENCE_PORT', 'The embedded reference, and the one that runs alone'],
]);

const usage = `Usage: portico [--config FILE]                serve
       portico check-config [--config FILE]   say what is wrong with the settings; serve nothing
       portico --help | --version

FILE is a map in YAML of the settings below. They may be in the environment too, which wins over the
file; an empty one counts as unset. What follows = is the default.`;

/** What `portico --help` says: how to call it, and every setting in its own words. */
export function helpFrom(declared: Declared): string {
  const blocks = Object.entries(declared).map(([name, type]) => {
    const heading = groups.get(name);
    const fallback = defaultOf(type);
    const label = `  ${name}${fallback === '' ? '' : `=${fallback}`}`;
    return `${heading === undefined ? '' : `\n${heading}\n`}${beside(label, type.description ?? '')}`;
  });
  return [usage, ...blocks].join('\n');
}

function defaultOf(type: Declared[string]): string {
  return String(type.safeParse(undefined).data ?? '');
}

/** The text to the right of the label; below it, where the label is too long. */
function beside(label: string, text: string): string {
  const lines = text.match(new RegExp(`\\S.{0,${WIDTH - MARGIN - 1}}(?=\\s|$)`, 'g')) ?? [];
  const column = lines.map((line) => `${' '.repeat(MARGIN)}${line}`);
  if (label.length + 2 > MARGIN) return [label, ...column].join('\n');
  return [label.padEnd(MARGIN) + (lines[0] ?? ''), ...column.slice(1)].join('\n').trimEnd();
}

/** The version of this package. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return version;
}
