import { parseArgs } from 'node:util';
import type { Command, Given } from './command.ts';

export type Invocation =
  | { name: 'serve' }
  | { name: 'run'; command: Command; given: Given }
  /** `of`: for one command; undefined for all. */
  | { name: 'help'; of: Command | undefined }
  | { name: 'version' }
  | { name: 'misused'; faults: string[] };

/** Parses the arguments; no fault repeats one, which may be a misplaced API key. Without a command the gateway is started. */
export function invocationFrom(args: string[], commands: readonly Command[]): Invocation {
  const [word, ...rest] = args;
  const command = commands.find(({ name }) => name === word);
  if (args.includes('--help') || args.includes('-h')) return { name: 'help', of: command };
  if (word === 'help') return { name: 'help', of: commands.find(({ name }) => name === rest[0]) };
  if (args.includes('--version')) return { name: 'version' };
  if (word === undefined) return { name: 'serve' };
  if (!command) return { name: 'misused', faults: ['unknown command'] };
  const types = Object.entries(command.options).map(
    ([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }] as const,
  );
  try {
    const options = Object.fromEntries(types);
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
    const texts = Object.entries(values).map(
      ([name, value]) => [name, typeof value === 'string' ? value : undefined] as const,
    );
    const given = { operands: positionals, options: new Map(texts) };
    const faults = faultsOf(given, command);
    return faults.length > 0 ? { name: 'misused', faults } : { name: 'run', command, given };
  } catch (error) {
    return { name: 'misused', faults: [faultFrom(error as NodeJS.ErrnoException)] };
  }
}

function faultFrom({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return 'unknown option';
  // The others name an option of the command, and no value.
  return message.split('\n')[0] ?? '';
}

function faultsOf({ operands, options }: Given, command: Command): string[] {
  const { name } = command;
  const invalid = [...options].flatMap(([option, text = '']) => {
    const value = command.options[option]?.value;
    return value && !value.accepts(text) ? [`--${option} requires ${value.requires}`] : [];
  });
  return [
    ...invalid,
    ...(command.operands && operands.length === 0 ? [`${name} requires ${command.operands}`] : []),
    ...(!command.operands && operands.length > 0 ? [`${name} takes no arguments`] : []),
    ...(command.faultsOf?.(options) ?? []),
  ];
}
