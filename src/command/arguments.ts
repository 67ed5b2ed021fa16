import { parseArgs } from 'node:util';
import { isLoopback } from '../config.ts';
import type { PlanRequest } from '../operation/explain/planner.ts';

interface PlanArguments extends PlanRequest {
  /** Files, folders and globs: see `readDocuments`. */
  files: readonly string[];
  isJson: boolean;
  /** As Markdown, of a comparison. */
  isMarkdown: boolean;
  /** What the operations are compared with: see `readBase`. Undefined: nothing. */
  against: string | undefined;
  /** How many calls more than in the base an operation may make. Undefined: any number. */
  maxIncrease: number | undefined;
}

/** What the operations of logs are grouped by. */
const groupings = ['key', 'client', 'operation'] as const;
export type Grouping = (typeof groupings)[number];

export interface UsageArguments {
  /** Files; `-` is standard input. */
  logs: readonly string[];
  /** The schema coordinate of a field. */
  field: string | undefined;
  by: Grouping;
  isJson: boolean;
}

export interface McpArguments {
  /** The endpoint of the gateway. */
  gateway: URL;
  /** The path of a manifest of trusted documents. */
  documents: string;
  /** Undefined: standard input and output. */
  port: number | undefined;
}

/** The command that the arguments of the process name. */
export type Command =
  | { name: 'serve' }
  | { name: 'check-config' }
  | { name: 'plan'; given: PlanArguments }
  | { name: 'usage'; given: UsageArguments }
  | { name: 'check-upstream'; given: { ids: Record<'site' | 'conversation', string>; isJson: boolean } }
  | { name: 'print-schema'; live: boolean; federation: boolean }
  | { name: 'mcp'; given: McpArguments }
  /** `of`: for one command; undefined for all. */
  | { name: 'help'; of: CommandName | undefined }
  | { name: 'version' }
  /** No command, for these reasons. */
  | { name: 'misused'; faults: string[] };

/** `requires`, `accepts`: what the value of an option must be, and whether a text is that. */
const options = {
  variables: { type: 'string', requires: 'a JSON object', accepts: (text: string) => !!objectFrom(text) },
  operation: { type: 'string', requires: 'the name of an operation', accepts: Boolean },
  'max-calls': { type: 'string', requires: 'a whole number', accepts: isCount },
  // No commit begins with a dash, which git takes for an option.
  against: { type: 'string', requires: 'a commit or a file', accepts: (text: string) => /^[^-]/.test(text) },
  'max-increase': { type: 'string', requires: 'a whole number', accepts: isCount },
  field: { type: 'string', requires: 'a field of the schema, such as Site.city', accepts: isCoordinate },
  by: { type: 'string', requires: 'key, client or operation', accepts: isGrouping },
  site: { type: 'string', requires: 'a site id', accepts: (text: string) => SITE_ID.test(text) },
  conversation: { type: 'string', requires: 'a UUID', accepts: (text: string) => UUID.test(text) },
  gateway: {
    type: 'string',
    requires: 'an https: URL without credentials, or an http: URL of this machine',
    accepts: isEndpoint,
  },
  documents: { type: 'string', requires: 'a file', accepts: Boolean },
  port: { type: 'string', requires: 'a port: 0 to 65535', accepts: isPort },
  json: { type: 'boolean' },
  markdown: { type: 'boolean' },
  live: { type: 'boolean' },
  federation: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

const SITE_ID = /^\w{1,32}-\P{Cc}{0,167}$/u;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The arguments that a message may repeat: one with digits may be a misplaced API key. */
const REPEATABLE = /^[a-z_./=-]{1,64}$/i;

/** The commands that are a word; without one, the gateway is started. */
const names = ['check-config', 'check-upstream', 'print-schema', 'plan', 'usage', 'mcp'] as const;
export type CommandName = (typeof names)[number];

/** The options of each command, besides those of all. */
export const optionsOf: Record<'serve' | CommandName, readonly string[]> = {
  serve: [],
  'check-config': [],
  'check-upstream': ['site', 'conversation', 'json'],
  'print-schema': ['live', 'federation'],
  plan: ['variables', 'operation', 'max-calls', 'against', 'max-increase', 'json', 'markdown'],
  usage: ['field', 'by', 'json'],
  mcp: ['gateway', 'documents', 'port'],
};

/** What the commands that read files require. */
const required: Partial<Record<'serve' | CommandName, string>> = {
  plan: 'a file',
  usage: 'a log: a file, or - for standard input',
};

/** Parses the arguments and reports all their faults at once. */
export function commandFromArguments(args: string[]): Command {
  const { given, words, faults } = parsed(args);
  const [word, ...more] = words;
  const name = word ? names.find((known) => known === word.value) : 'serve';
  if (!name) faults.push(`unknown command: ${nameable(word?.value ?? '', word?.index ?? 0)}`);
  else {
    const files = required[name];
    if (files && more.length === 0) faults.push(`${name} requires ${files}`);
    if (!files && more.length > 0) faults.push(`${name} takes no arguments`);
    if (name === 'mcp')
      for (const option of ['gateway', 'documents'])
        if (!given.has(option)) faults.push(`mcp requires --${option}`);
    const allowed = [...optionsOf[name], 'help', 'version'];
    const strange = [...given.keys()].filter((option) => isOption(option) && !allowed.includes(option));
    faults.push(...strange.map((option) => `--${option} is not an option of ${name}`));
    faults.push(...combinationFaults(given));
  }
  if (given.has('help')) return { name: 'help', of: name === 'serve' ? undefined : name };
  if (!name || faults.length > 0) return { name: 'misused', faults: [...new Set(faults)] };
  if (given.has('version')) return { name: 'version' };
  if (name === 'print-schema') return { name, live: given.has('live'), federation: given.has('federation') };
  const ids = { site: given.get('site') ?? '', conversation: given.get('conversation') ?? '' };
  if (name === 'check-upstream') return { name, given: { ids, isJson: given.has('json') } };
  const files = more.map(({ value }) => value);
  if (name === 'plan') return { name, given: planFrom(files, given) };
  if (name === 'mcp') return { name, given: mcpFrom(given) };
  return name === 'usage' ? { name, given: usageFrom(files, given) } : { name };
}

type Given = ReadonlyMap<string, string | undefined>;

const exclusive = [
  ['json', 'markdown'],
  ['federation', 'live'],
];

function combinationFaults(given: Given): string[] {
  const faults = exclusive
    .filter((pair) => pair.every((option) => given.has(option)))
    .map(([one, other]) => `--${one} and --${other} exclude each other`);
  if (given.has('against')) return faults;
  const dependent = ['max-increase', 'markdown'].filter((option) => given.has(option));
  return [...faults, ...dependent.map((option) => `--${option} requires --against`)];
}

function planFrom(files: readonly string[], given: Given): PlanArguments {
  return {
    files,
    variables: objectFrom(given.get('variables') ?? '{}') ?? {},
    operationName: given.get('operation'),
    maxCalls: countFrom(given.get('max-calls')),
    against: given.get('against'),
    maxIncrease: countFrom(given.get('max-increase')),
    isJson: given.has('json'),
    isMarkdown: given.has('markdown'),
  };
}

function usageFrom(files: readonly string[], given: Given): UsageArguments {
  const by = given.get('by') ?? 'operation';
  return {
    // A log that is named twice counts once.
    logs: [...new Set(files)],
    field: given.get('field'),
    by: isGrouping(by) ? by : 'operation',
    isJson: given.has('json'),
  };
}

function mcpFrom(given: Given): McpArguments {
  const port = given.get('port');
  return {
    gateway: new URL(given.get('gateway') ?? ''),
    documents: given.get('documents') ?? '',
    port: port === undefined ? undefined : Number(port),
  };
}

/** The value of each option, undefined for one without; what is no option; and the faults of the options. */
function parsed(args: string[]) {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, string | undefined>();
  const faults: string[] = [];
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue, index } = token;
    const option = isOption(name) ? options[name] : undefined;
    // A value that looks like an option is the next option: the value is missing.
    const hasValue = value && (inlineValue || !value.startsWith('-'));
    if (!option) faults.push(`unknown option: ${nameable(rawName, index)}`);
    else if (given.has(name)) faults.push(`--${name} must be given once`);
    else if ('requires' in option) {
      if (!hasValue || !option.accepts(value)) faults.push(`--${name} requires ${option.requires}`);
    } else if (value !== undefined) faults.push(`--${name} takes no value`);
    given.set(name, value);
  }
  return { given, words: tokens.filter((token) => token.kind === 'positional'), faults };
}

function objectFrom(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
    return isObject ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isCount(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}

function countFrom(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function isGrouping(text: string): text is Grouping {
  return groupings.some((grouping) => grouping === text);
}

function isCoordinate(text: string): boolean {
  return /^[_a-z]\w{0,99}\.[_a-z]\w{0,99}$/i.test(text);
}

/** An API key must not travel unencrypted. */
function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return (
    username + password === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)))
  );
}

function isPort(text: string): boolean {
  return isCount(text) && Number(text) <= 65_535;
}

function isOption(name: string): name is keyof typeof options {
  return Object.hasOwn(options, name);
}

function nameable(text: string, index: number): string {
  return REPEATABLE.test(text) ? text : `argument ${index + 1}`;
}
