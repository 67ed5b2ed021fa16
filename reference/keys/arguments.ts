import { parseArgs } from 'node:util';
import { z } from 'zod';
import { codeFromError, messageFromError } from '../command-line.ts';
import { partnerId } from '../contract.ts';
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
  .string(must(`a list of ${scopes.join(',')}`))
  .transform((list) => new Set(list.split(',').map((word) => word.trim())))
  .refine((words) => words.size > 0 && [...words].every((word) => scopes.some((scope) => scope === word)), {
    error: must(`a list of ${scopes.join(',')}`),
  })
  .transform((words) => scopes.filter((scope) => words.has(scope)));
const expires = (now: Date) =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], must('YYYY-MM-DD or an RFC 3339 time'))
    .transform((text) => new Date(text).toISOString())
    .refine((time) => time > now.toISOString(), { error: must('in the future') })
    .nullable()
    .default(null);
// A whole key is rejected too. No fault repeats a value.
const name = z
  .string(must('the first eight characters of a key'))
  .regex(/^[\x21-\x7e]{8}$/, must('the first eight characters of a key, and no more of it'));
const flagOption = z.boolean().default(false);

function schemasAt(now: Date) {
  return {
    issue: z
      .strictObject({
        partner: partnerId,
        environment: z.enum(['test', 'production'], must('test or production')),
        description: line(500),
        contact: line(200),
        scopes: scopeList,
        expires: expires(now),
        'link-hours': linkHours,
        show: flagOption,
      })
      // A key for production is delivered by its link (section 5.8).
      .refine(({ show, environment }) => !show || environment === 'test', {
        path: ['show'],
        error: 'applies to --environment test alone',
      }),
    rotate: z.strictObject({ NAME: name, expires: expires(now), 'link-hours': linkHours }),
    revoke: z.strictObject({ NAME: name }),
    list: z.strictObject({ partner: partnerId.optional(), json: flagOption }),
    show: z.strictObject({ NAME: name, json: flagOption }),
  };
}

type Schemas = ReturnType<typeof schemasAt>;
type Verb = keyof Schemas;

/** A command with its validated arguments. */
export type KeyCommand = { [V in Verb]: { verb: V } & z.infer<Schemas[V]> }[Verb] | { verb: 'help' };

export const usage = `Usage: npm run keys -- COMMAND

  issue --partner ID --environment test|production --description TEXT --contact TEXT
        --scopes ${scopes.join(',')} [--expires DATE] [--link-hours 24 | --show]
  rotate NAME [--expires DATE] [--link-hours 24]
  revoke NAME
  list [--partner ID] [--json]
  show NAME [--json]

NAME is the first eight characters of a key, never the whole. A DATE is YYYY-MM-DD, which is midnight UTC, or an
RFC 3339 time. With --show, issue prints the key alone, for scripts, in the test environment. REFERENCE_DATABASE_URL names the database, REFERENCE_PUBLIC_URL the base of the links.`;

/** Returns the command, or the faults of the arguments. A fault repeats no value, which may be a key. */
export function parseKeyCommand(args: string[], now: Date): KeyCommand | { faults: string[] } {
  const given = parse(args);
  if ('fault' in given) return { faults: [given.fault] };
  const { help, ...values } = given.values;
  if (help) return { verb: 'help' };
  const [verb = '', NAME, ...more] = given.positionals;
  const schemas = schemasAt(now);
  if (!isVerb(schemas, verb))
    return { faults: [`COMMAND must be one of ${Object.keys(schemas).join(', ')}`] };
  if (more.length > 0 || (NAME !== undefined && !('NAME' in schemas[verb].shape)))
    return { faults: ['there are too many arguments'] };
  const { data, error } = schemas[verb].safeParse({ ...values, ...(NAME !== undefined && { NAME }) });
  if (error) return { faults: error.issues.flatMap((issue) => faultsFromIssue(issue, verb)) };
  return { verb, ...data } as KeyCommand;
}

function isVerb(schemas: Schemas, word: string): word is Verb {
  return Object.hasOwn(schemas, word);
}

function faultsFromIssue(issue: z.core.$ZodIssue, verb: Verb): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => `--${key} does not apply to ${verb}`);
  const name = String(issue.path[0]);
  return [`${name === 'NAME' ? name : `--${name}`} ${issue.message}`];
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const options = {
  partner: text,
  environment: text,
  description: text,
  contact: text,
  scopes: text,
  expires: text,
  'link-hours': text,
  json: flag,
  show: flag,
  help: flag,
};

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // Node's message would repeat an unknown option, which may be a misplaced key.
    const isUnknown = codeFromError(error) === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
    return { fault: isUnknown ? 'there is an unknown option' : messageFromError(error) };
  }
}
