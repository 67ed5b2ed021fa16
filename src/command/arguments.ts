import { parseArgs } from 'node:util';

/** What the arguments of the process ask for. */
export type Command =
  | { name: 'serve'; file: string | undefined }
  | { name: 'check-config'; file: string | undefined }
  | { name: 'help' }
  | { name: 'version' }
  /** For nothing that there is, for these reasons. */
  | { name: 'misused'; faults: string[] };

const options = {
  config: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** What of an argument is repeated to its author. One with digits in it may be a key that went astray. */
const REPEATABLE = /^[a-z_./=-]{1,64}$/i;

/** Reads the arguments; of one that is not known, and of all the others too, it says what is wrong. */
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
    // A value that looks like an option is the next one, and the value was forgotten.
    const hasValue = value !== undefined && value !== '' && (inlineValue || !value.startsWith('-'));
    if (!type) faults.push(`${nameable(rawName, index)} is no option`);
    else if (given.has(name)) faults.push(`--${name} must be given once`);
    else if (type === 'string' && !hasValue) faults.push(`--${name} needs a file`);
    else if (type === 'boolean' && value !== undefined) faults.push(`--${name} takes no value`);
    given.set(name, value);
  }
  const [word = 'serve', ...more] = words;
  if (word !== 'check-config' && words.length > 0) {
    faults.push(`${nameable(word, args.indexOf(word))} is no command`);
  } else if (more.length > 0) {
    faults.push(`${word} takes no more words`);
  }
  if (given.has('help')) return { name: 'help' };
  if (faults.length > 0) return { name: 'misused', faults };
  if (given.has('version')) return { name: 'version' };
  return { name: word === 'check-config' ? word : 'serve', file: given.get('config') };
}

function nameable(text: string, index: number): string {
  return REPEATABLE.test(text) ? text : `argument ${index + 1}`;
}
