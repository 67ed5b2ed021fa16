import { parseArgs } from 'node:util';
import { referenceSettings } from './config.ts';

/** What the process is to do. */
export type Command =
  | { name: 'serve' }
  | { name: 'import'; path: string; skipBad: boolean }
  | { name: 'export'; path: string | undefined }
  | { name: 'help' };

export const usage = `usage: reference                           serve the API
       reference import FILE [--skip-bad]   load sites and conversations from NDJSON
       reference export [FILE]              write them, to standard output without FILE
       reference --help                     list the commands and the settings`;

const options = {
  'skip-bad': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Returns null for arguments that form no command. */
export function parseCommand(args: string[]): Command | null {
  const parsed = parse(args);
  if (!parsed) return null;
  if (parsed.values.help) return { name: 'help' };
  const [name = 'serve', path, extra] = parsed.positionals;
  const skipBad = parsed.values['skip-bad'] ?? false;
  if (name === 'import' && path !== undefined && extra === undefined) return { name, path, skipBad };
  if (skipBad || extra !== undefined) return null;
  if (name === 'export') return { name, path };
  return name === 'serve' && parsed.positionals.length === 0 ? { name } : null;
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch {
    return null;
  }
}

/** The text of `npm run reference -- --help`: the commands, and each setting with its default. */
export function helpText(): string {
  const settings = Object.entries(referenceSettings.shape).map(([name, type]) => {
    const fallback = type.safeParse(undefined).data;
    const label = fallback === undefined ? name : `${name}=${fallback}`;
    return `  ${label}\n      ${type.description ?? ''}`;
  });
  return [
    usage,
    '',
    'After `npm run reference`, write `--` before the arguments.',
    '',
    'Settings are environment variables; an empty one counts as unset. The text after = is the default.',
    '',
    ...settings,
  ].join('\n');
}
