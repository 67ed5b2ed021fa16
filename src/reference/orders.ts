import { parseArgs } from 'node:util';
import { z } from 'zod';
import { partnerId } from './contract.ts';
import { scopes } from './keys.ts';

const LINK_HOURS_MAX = 168;

const must = (text: string) => `must be ${text}`;
const line = (max: number) => {
  const error = must(`one line of at most ${max} characters`);
  return z
    .string(error)
    .regex(new RegExp(`^[^\\p{Cc}\u2028\u2029]{1,${max}}$`, 'u'), error)
    .refine((text) => text.trim() !== '', { error });
};
const linkHours = z
  .string()
  .default('24')
  .refine((text) => /^[1-9]\d{0,2}$/.test(text) && Number(text) <= LINK_HOURS_MAX, {
    error: must(`a whole number from 1 to ${LINK_HOURS_MAX}`),
  })
  .transform(Number);
const scopeList = z
  .string(must(`out of ${scopes.join(',')}`))
  .transform((list) => new Set(list.split(',').map((word) => word.trim())))
  .refine((words) => words.size > 0 && [...words].every((word) => scopes.some((scope) => scope === word)), {
    error: must(`out of ${scopes.join(',')}`),
  })
  .transform((words) => scopes.filter((scope) => words.has(scope)));
const expires = (now: Date) =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], must('YYYY-MM-DD or an RFC 3339 moment'))
    .transform((text) => new Date(text).toISOString())
    .refine((moment) => moment > now.toISOString(), { error: must('in the future') })
    .nullable()
    .default(null);
// A whole key is refused like any other text, and echoed like none.
const name = z
  .string(must('the first eight characters of a key'))
  .regex(/^[\x21-\x7e]{8}$/, must('the first eight characters of a key, and no more of it'));
const json = z.boolean().default(false);

function shapesAt(now: Date) {
  return {
    issue: z.strictObject({
      partner: partnerId,
      environment: z.enum(['test', 'production'], must('test or production')),
      description: line(500),
      contact: line(200),
      scopes: scopeList,
      expires: expires(now),
      'link-hours': linkHours,
    }),
    rotate: z.strictObject({ NAME: name, expires: expires(now), 'link-hours': linkHours }),
    revoke: z.strictObject({ NAME: name }),
    list: z.strictObject({ partner: partnerId.optional(), json }),
    show: z.strictObject({ NAME: name, json }),
  };
}

type Shapes = ReturnType<typeof shapesAt>;
type Verb = keyof Shapes;

/** What the command line asks of the desk. */
export type Order = { [V in Verb]: { verb: V } & z.infer<Shapes[V]> }[Verb] | { verb: 'help' };

export const usage = `Usage: npm run keys -- COMMAND

  issue --partner ID --environment test|production --description TEXT --contact TEXT
        --scopes ${scopes.join(',')} [--expires DATE] [--link-hours 24]
  rotate NAME [--expires DATE] [--link-hours 24]
  revoke NAME
  list [--partner ID] [--json]
  show NAME [--json]

NAME is the first eight characters of a key, never the whole. A DATE is YYYY-MM-DD, from its first moment in UTC,
or an RFC 3339 moment. REFERENCE_DATABASE_URL names the database, REFERENCE_PUBLIC_URL where the links lead.`;

/** Either an order or everything that is wrong with the arguments. No fault repeats a value: it may be a key. */
export function orderFromArgs(args: string[], now: Date): Order | { faults: string[] } {
  const { given, words, faults } = wordsFromArgs(args);
  if (given.help) return { verb: 'help' };
  const [verb = '', ...rest] = words;
  const shapes = shapesAt(now);
  if (!isVerb(shapes, verb)) {
    return { faults: [`COMMAND must be one of ${Object.keys(shapes).join(', ')}`, ...faults] };
  }
  const named = 'NAME' in shapes[verb].shape ? rest.slice(0, 1) : [];
  if (rest.length > named.length) faults.push('there are more words than the command takes');
  const [first] = named;
  const parsed = shapes[verb].safeParse(first === undefined ? given : { ...given, NAME: first });
  for (const issue of parsed.error?.issues ?? []) {
    // An option without its value has had its fault already.
    if (!faults.some((fault) => fault.startsWith(`--${String(issue.path[0])} `))) {
      faults.push(...faultsFromIssue(issue, verb));
    }
  }
  if (!parsed.success || faults.length > 0) return { faults };
  return { verb, ...parsed.data } as Order;
}

function isVerb(shapes: Shapes, word: string): word is Verb {
  return Object.hasOwn(shapes, word);
}

function faultsFromIssue(issue: z.core.$ZodIssue, verb: Verb): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `--${key} is not for ${verb}`);
  const name = String(issue.path[0]);
  return [`${name === 'NAME' ? name : `--${name}`} ${issue.message}`];
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
/** What may be repeated: a misplaced key has digits in it. */
const OPTION_NAME = /^--[a-z-]{2,16}$/;

const options = {
  partner: text,
  environment: text,
  description: text,
  contact: text,
  scopes: text,
  expires: text,
  'link-hours': text,
  json: flag,
  help: flag,
};

/** The options and the words between them. parseArgs alone would stop at the first fault. */
function wordsFromArgs(args: string[]) {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const given: Record<string, string | boolean> = {};
  const words: string[] = [];
  const faults: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name as keyof typeof options] : undefined;
    if (!option)
      faults.push(OPTION_NAME.test(rawName) ? `${rawName} is no option` : 'there is an unknown option');
    else if (name in given) faults.push(`${rawName} must be given once`);
    else if (option === flag && value !== undefined) faults.push(`${rawName} takes no value`);
    // An option where a value belongs is the next option, and the value was forgotten.
    else if (option === text && (value === undefined || (!inlineValue && value.startsWith('--')))) {
      faults.push(`${rawName} needs a value`);
    } else given[name] = value ?? true;
  }
  return { given, words, faults: [...new Set(faults)] };
}
