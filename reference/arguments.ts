import { parseArgs } from 'node:util';
import * as z from 'zod';
import { referenceSettings } from './config.ts';
import { demoKeyList } from './data/demo-keys.ts';
import { scenarioNames } from './scenarios/scenario.ts';

const COUNT_MAX = 1_000_000;

const count = z
  .string()
  .regex(/^\d{1,7}$/)
  .transform(Number)
  .refine((value) => value <= COUNT_MAX);
const flag = z.boolean().default(false);

/** The arguments of each command. */
const schemas = {
  serve: z.strictObject({ scenario: z.enum(scenarioNames).optional() }),
  import: z.strictObject({ path: z.string(), replace: flag }),
  generate: z.strictObject({ sites: count, conversations: count, seed: count.default(1) }),
  reset: z.strictObject({}),
};

type Schemas = typeof schemas;
type Name = keyof Schemas;

/** The command of the process. */
export type Command = { [N in Name]: { name: N } & z.output<Schemas[N]> }[Name] | { name: 'help' };

export const usage = `usage: reference [--scenario NAME]   serve the API; NAME is ${scenarioNames.join(', ')}
       reference import FILE [--replace]
                                     load sites and conversations from NDJSON; --replace: in place of all
                                     others of their partner
       reference generate --sites N --conversations M [--seed S]
                                     write made-up ones of Acme, the same for the same numbers, which are at
                                     most ${COUNT_MAX}
       reference reset               delete all data and keys; the next start writes those of the demo
       reference --help              list the commands, the demo keys and the settings`;

const options = {
  scenario: { type: 'string' },
  replace: { type: 'boolean' },
  sites: { type: 'string' },
  conversations: { type: 'string' },
  seed: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Returns null for arguments that form no command. */
export function parseCommand(args: string[]): Command | null {
  const parsed = parse(args);
  if (!parsed) return null;
  const { help, ...values } = parsed.values;
  if (help) return { name: 'help' };
  const [word, path, extra] = parsed.positionals;
  const name = word ?? 'serve';
  // Serving is what it does without a command.
  if (!isName(name) || word === 'serve' || extra !== undefined) return null;
  const { data } = schemas[name].safeParse({ ...values, ...(path !== undefined && { path }) });
  return data ? ({ name, ...data } as Command) : null;
}

function isName(word: string): word is Name {
  return Object.hasOwn(schemas, word);
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
    'Keys of the demo data, in the environment test:',
    '',
    ...demoKeyList.map(({ key, description }) => `  ${key}  ${description}`),
    '',
    'Settings are environment variables; an empty one counts as unset. The text after = is the default.',
    '',
    ...settings,
  ].join('\n');
}
