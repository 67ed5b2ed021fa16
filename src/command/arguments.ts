import { parseArgs } from 'node:util';
import type { Command, Given, Option, Options } from './command.ts';

/** What the arguments of the process ask for. */
export type Invocation =
  | { name: 'serve' }
  | { name: 'run'; command: Command; given: Given }
  /** `of`: for one command; undefined for all. */
  | { name: 'help'; of: Command | undefined }
  | { name: 'version' }
  /** Nothing, for these reasons. */
  | { name: 'misused'; faults: string[] };

/** The options of all commands. */
const everywhere: Readonly<Record<string, Partial<Option>>> = { help: {}, version: {} };

/** The arguments that a message may repeat: one with digits may be a misplaced API key. */
const REPEATABLE = /^[a-z_./=-]{1,64}$/i;

/** Parses the arguments and reports all their faults at once. Without a command the gateway is started. */
export function invocationFrom(args: string[], commands: readonly Command[]): Invocation {
  const { options, words, faults } = parsed(args, commands);
  const [word, ...more] = words;
  const command = commands.find(({ name }) => name === word?.value);
  if (word && !command) faults.push(`unknown command: ${nameable(word.value, word.index)}`);
  else faults.push(...faultsOf(command ?? serve, options, more.length));
  if (options.has('help')) return { name: 'help', of: command };
  if (options.has('version')) return { name: 'version' };
  if (faults.length > 0) return { name: 'misused', faults: [...new Set(faults)] };
  if (!command) return { name: 'serve' };
  return { name: 'run', command, given: { operands: more.map(({ value }) => value), options } };
}

type Judged = Pick<Command, 'name' | 'options' | 'operands' | 'required' | 'faultsOf'>;

const serve: Judged = { name: 'serve', options: {} };

function faultsOf(
  { name, options: own, operands, required = [], faultsOf }: Judged,
  options: Options,
  count: number,
): string[] {
  const strange = [...options.keys()].filter(
    (option) => !Object.hasOwn(own, option) && !Object.hasOwn(everywhere, option),
  );
  return [
    ...(operands && count === 0 ? [`${name} requires ${operands}`] : []),
    ...(!operands && count > 0 ? [`${name} takes no arguments`] : []),
    ...required.filter((option) => !options.has(option)).map((option) => `${name} requires --${option}`),
    ...strange.map((option) => `--${option} is not an option of ${name}`),
    ...(faultsOf?.(options) ?? []),
  ];
}

/** The options that are known, with their values; what is no option; and the faults of the options. */
function parsed(args: string[], commands: readonly Command[]) {
  const known: Record<string, Partial<Option>> = { ...everywhere };
  for (const { options } of commands) Object.assign(known, options);
  const types = Object.entries(known).map(([name, { value }]) => {
    const type: 'string' | 'boolean' = value ? 'string' : 'boolean';
    return [name, name === 'help' ? { type, short: 'h' } : { type }] as const;
  });
  const { tokens } = parseArgs({
    args,
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const options = new Map<string, string | undefined>();
  const faults: string[] = [];
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue, index } = token;
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    // A value that looks like an option is the next option: the value is missing.
    const hasValue = value && (inlineValue || !value.startsWith('-'));
    if (!option) {
      faults.push(`unknown option: ${nameable(rawName, index)}`);
      continue;
    }
    if (options.has(name)) faults.push(`--${name} must be given once`);
    else if (option.value) {
      if (!hasValue || !option.value.accepts(value))
        faults.push(`--${name} requires ${option.value.requires}`);
    } else if (value !== undefined) faults.push(`--${name} takes no value`);
    options.set(name, value);
  }
  return { options, words: tokens.filter((token) => token.kind === 'positional'), faults };
}

function nameable(text: string, index: number): string {
  return REPEATABLE.test(text) ? text : `argument ${index + 1}`;
}
