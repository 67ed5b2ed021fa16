import { parseArgs } from 'node:util';
import type { PlanRequest } from '../operation/explain/planner.ts';

interface PlanArguments extends PlanRequest {
  /** Files, folders and globs: see `readDocuments`. */
  files: readonly string[];
  isJson: boolean;
}

/** The command that the arguments of the process name. */
export type Command =
  | { name: 'serve' }
  | { name: 'check-config' }
  | { name: 'plan'; given: PlanArguments }
  | { name: 'print-schema' }
  /** `of`: for one command; undefined for all. */
  | { name: 'help'; of: CommandName | undefined }
  | { name: 'version' }
  /** No command, for these reasons. */
  | { name: 'misused'; faults: string[] };

const options = {
  variables: { type: 'string', requires: 'a JSON object' },
  operation: { type: 'string', requires: 'the name of an operation' },
  'max-calls': { type: 'string', requires: 'a whole number' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** The arguments that a message may repeat: one with digits may be a misplaced API key. */
const REPEATABLE = /^[a-z_./=-]{1,64}$/i;

/** The commands that are a word; without one, the gateway is started. */
const names = ['check-config', 'print-schema', 'plan'] as const;
type CommandName = (typeof names)[number];

/** The options of each command, besides those of all. */
export const optionsOf: Record<'serve' | CommandName, readonly string[]> = {
  serve: [],
  'check-config': [],
  'print-schema': [],
  plan: ['variables', 'operation', 'max-calls', 'json'],
};

interface Parsed {
  /** The value of each option; undefined for one without. */
  given: Map<string, string | undefined>;
  /** What is no option, and its place among the arguments. */
  words: { text: string; index: number }[];
  faults: string[];
}

/** Parses the arguments and reports all their faults at once. */
export function commandFromArguments(args: string[]): Command {
  const { given, words, faults } = parsed(args);
  const [word, ...more] = words;
  const name = word === undefined ? 'serve' : names.find((known) => known === word.text);
  if (!name) faults.push(`unknown command: ${nameable(word?.text ?? '', word?.index ?? 0)}`);
  else {
    if (name !== 'plan' && more.length > 0) faults.push(`${name} takes no arguments`);
    const allowed = [...optionsOf[name], 'help', 'version'];
    const strange = [...given.keys()].filter((option) => isOption(option) && !allowed.includes(option));
    faults.push(...strange.map((option) => `--${option} is not an option of ${name}`));
  }
  if (given.has('help')) return { name: 'help', of: name === 'serve' ? undefined : name };
  const plan = name === 'plan' ? planFrom(given, more, faults) : undefined;
  if (faults.length > 0) return { name: 'misused', faults: [...new Set(faults)] };
  if (given.has('version')) return { name: 'version' };
  if (plan) return { name: 'plan', given: plan };
  return { name: name === undefined || name === 'plan' ? 'serve' : name };
}

function parsed(args: string[]): Parsed {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const given: Parsed['given'] = new Map();
  const words: Parsed['words'] = [];
  const faults: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push({ text: token.value, index: token.index });
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue, index } = token;
    const option = isOption(name) ? options[name] : undefined;
    // A value that looks like an option is the next option: the value is missing.
    const hasValue = value !== undefined && value !== '' && (inlineValue || !value.startsWith('-'));
    if (!option) faults.push(`unknown option: ${nameable(rawName, index)}`);
    else if (given.has(name)) faults.push(`--${name} must be given once`);
    else if ('requires' in option) {
      if (!hasValue) faults.push(`--${name} requires ${option.requires}`);
    } else if (value !== undefined) faults.push(`--${name} takes no value`);
    given.set(name, value);
  }
  return { given, words, faults };
}

/** Adds to `faults` what is wrong. */
function planFrom(given: Parsed['given'], files: Parsed['words'], faults: string[]): PlanArguments {
  const [variablesText, maxCallsText] = [given.get('variables'), given.get('max-calls')];
  const variables = variablesText ? objectFrom(variablesText) : {};
  const isCount = !maxCallsText || /^\d{1,9}$/.test(maxCallsText);
  if (files.length === 0) faults.push('plan requires a file');
  if (!variables) faults.push(`--variables requires ${options.variables.requires}`);
  if (!isCount) faults.push(`--max-calls requires ${options['max-calls'].requires}`);
  return {
    files: files.map(({ text }) => text),
    variables: variables ?? {},
    operationName: given.get('operation'),
    maxCalls: maxCallsText ? Number(maxCallsText) : undefined,
    isJson: given.has('json'),
  };
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

function isOption(name: string): name is keyof typeof options {
  return Object.hasOwn(options, name);
}

function nameable(text: string, index: number): string {
  return REPEATABLE.test(text) ? text : `argument ${index + 1}`;
}
