import { parseArgs } from 'node:util';

/** The command that the arguments of the process name. */
export type Command =
  | { name: 'serve'; file: string | undefined }
  | { name: 'check-config'; file: string | undefined }
  | { name: 'help' }
  | { name: 'version' }
  /** No command, for these reasons. */
  | { name: 'misused'; faults: string[] };

const options = {
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** The arguments that a message may repeat: one with digits may be a misplaced API key. */
const REPEATABLE = /^[a-z_./=-]{1,64}$/i;

/** Parses the arguments and reports all their faults at once. */
export function commandFromArguments(args: string[]): Command {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, string | undefined>();
  const words: string[] = [];
  const faults: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue, index } = token;
    const type = Object.hasOwn(options, name) ? options[name as keyof typeof options].type : undefined;
    // A value that looks like an option is the next option: the value is missing.
    const hasValue = value !== undefined && value !== '' && (inlineValue || !value.startsWith('-'));
    if (!type) faults.push(`unknown option: ${nameable(rawName, index)}`);
    else if (given.has(name)) faults.push(`--${name} must be given once`);
    else if (type === 'string' && !hasValue) faults.push(`--${name} requires a file`);
    else if (type === 'boolean' && value !== undefined) faults.push(`--${name} takes no value`);
    given.set(name, value);
  }
  const [word = 'serve', ...more] = words;
  if (word !== 'check-config' && words.length > 0) {
    faults.push(`unknown command: ${nameable(word, args.indexOf(word))}`);
  } else if (more.length > 0) {
    faults.push(`${word} takes no arguments`);
  }
  if (given.has('help')) return { name: 'help' };
  if (faults.length > 0) return { name: 'misused', faults };
  if (given.has('version')) return { name: 'version' };
  return { name: word === 'check-config' ? word : 'serve', file: given.get('config') };
}

function nameable(text: string, index: number): string {
  return REPEATABLE.test(text) ? text : `argument ${index + 1}`;
}
