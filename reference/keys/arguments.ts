import { parseArgs } from 'node:util';
import * as z from 'zod';
import { codeFromError, messageFromError } from '../command-line.ts';
import { partnerId } from '../contract.ts';
import { scopes } from './keys.ts';

const must = (text: string) => `must be ${text}`;
const line = (max: number) => {
  const error = must(`one line of at most ${max} characters`);
  return z.string(error).regex(new RegExp(`^(?=.*\\S)[^\\p{Cc}\u2028\u2029]{1,${max}}$`, 'u'), error);
};
const scopeList = z
  .string(must(`a list of ${scopes.join(',')}`))
  .transform((list) => list.split(','))
  .pipe(z.array(z.enum(scopes, must(`a list of ${scopes.join(',')}`))));
const expires = (now: Date) =>
  z.iso
    .date(must('YYYY-MM-DD'))
    .transform((text) => new Date(text).toISOString())
    .refine((time) => time > now.toISOString(), { error: must('in the future') })
    .nullable()
    .default(null);
const nameError = must('the first eight characters of a key, and no more of it');
const name = z.string(nameError).regex(/^[\x21-\x7e]{8}$/, nameError);

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
        show: z.boolean().default(false),
      })
      // A key for production is delivered by its link (section 5.8).
      .refine(({ show, environment }) => !show || environment === 'test', {
        path: ['show'],
        error: 'applies to --environment test alone',
      }),
    rotate: z.strictObject({ NAME: name, expires: expires(now) }),
    revoke: z.strictObject({ NAME: name }),
    list: z.strictObject({ partner: partnerId.optional() }),
  };
}

type Schemas = ReturnType<typeof schemasAt>;
type Verb = keyof Schemas;

/** A command with its validated arguments. */
export type KeyCommand = { [V in Verb]: { verb: V } & z.infer<Schemas[V]> }[Verb] | { verb: 'help' };

export const usage = `Usage: npm run keys -- COMMAND

  issue --partner ID --environment test|production --description TEXT --contact TEXT
        --scopes ${scopes.join(',')} [--expires DATE] [--show]
  rotate NAME [--expires DATE]
  revoke NAME
  list [--partner ID]

NAME is the first eight characters of a key, never the whole. A DATE is YYYY-MM-DD, at midnight UTC.
With --show, issue prints the key alone, for scripts, in the test environment. list prints JSON, with the last
use of each key and of its links. REFERENCE_DATABASE_URL names the database, REFERENCE_PUBLIC_URL the base of
the links.`;

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
  if (error) {
    return { faults: [...new Set(error.issues.flatMap((issue) => faultsFromIssue(issue, verb)))] };
  }
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
