import * as z from 'zod';
import type { ReferenceOptions } from './server.ts';

export interface ReferenceSettings extends ReferenceOptions {
  /** Base URL of one-time links, without a trailing slash; null if the port is not known before the start. */
  publicUrl: string | null;
  logLevel: LogLevel;
}

/** The most detailed first: each also logs what those after it do. */
export const logLevels = ['info', 'warn', 'error', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

export type ReferenceConfig = { options: ReferenceSettings } | { faults: string[] };

const wholeNumber = (min: number, max: number, fallback: number) =>
  z
    .string()
    .default(String(fallback))
    .refine((text) => /^\d{1,10}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);

const word = (shape: RegExp, must: string) => z.string().regex(shape, { error: `must be ${must}` });

const urlOf = (protocols: readonly string[], must: string) =>
  z
    .string()
    .refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
      error: `must be ${must}`,
    })
    .optional();

/** Whether a path can be appended to the URL. */
const isBase = ({ href, username, password }: URL) => !/[?#]/.test(href) && username + password === '';

/** True if pg reads the URL as intended: an unencoded password would become part of the host or the path. */
const isPostgres = (text: string) => {
  try {
    const { href, pathname, search, hash } = new URL(text);
    decodeURIComponent(href);
    return !(pathname + search + hash).includes('@');
  } catch {
    return false;
  }
};

/** One day, or two of which the second is not before the first. ISO dates sort as text. */
const dates = z
  .string()
  .transform((text) => text.split('/'))
  .refine(
    ([from = '', to = from, ...more]) =>
      [from, to].every((day) => z.iso.date().safeParse(day).success) && from <= to && more.length === 0,
    { error: 'must be one or two dates in their order: YYYY-MM-DD or YYYY-MM-DD/YYYY-MM-DD' },
  )
  .transform(([from, to]) => ({
    date: new Date(from ?? ''),
    sunset: to === undefined ? undefined : new Date(to),
  }))
  .optional();

/** Every setting with its default and, for the documentation, its description. */
export const referenceSettings = z.object({
  REFERENCE_PORT: wholeNumber(0, 65_535, 4001).describe(
    'Port of the standalone reference; 0 picks a free one',
  ),
  REFERENCE_HOST: word(/^\S+$/, 'a host name or address')
    .default('127.0.0.1')
    .describe('Address that the standalone reference listens on'),
  REFERENCE_PUBLIC_URL: urlOf(['http:', 'https:'], 'an http: or https: URL')
    .refine((text = '') => !URL.canParse(text) || isBase(new URL(text)), {
      error: 'must be without a query, a fragment and credentials',
    })
    .describe("Base URL of the reference's one-time links; unset: its port on 127.0.0.1, if that is not 0"),
  REFERENCE_DATABASE_URL: word(
    /^(:memory:|file:.+|postgres(ql)?:\/\/.+)$/,
    'file:…, postgres://… or :memory:',
  )
    .refine((text) => !text.startsWith('postgres') || isPostgres(text), {
      error: 'must be postgres://user:password@host:5432/database, percent-encoded',
    })
    .default('file:.data/reference.db')
    .describe('Database of the reference: `file:…`, `postgres://…` or `:memory:`'),
  REFERENCE_RATE_LIMIT: word(/^[1-9]\d{0,8}\/[1-9]\d{0,4}s$/, 'requests and their seconds, such as 6000/60s')
    .default('6000/60s')
    .describe('Requests that the reference accepts from one key, and the window in which they count'),
  REFERENCE_DEPRECATION: dates.describe(
    'Days on which `/v1` of the reference is deprecated, and on which it ends, such as `2027-01-01/2027-07-01`; the second is optional',
  ),
  LOG_LEVEL: z
    .enum(['debug', ...logLevels], { error: `must be one of debug, ${logLevels.join(', ')}` })
    .default('info')
    .describe('The most detailed lines of the log'),
  SITE_ID_PREFIX: word(/^\w{1,32}$/, 'one word')
    .default('SITE')
    .describe('The prefix word of site ids'),
  NODE_ENV: z
    .enum(['production', 'development', 'test'], { error: 'must be one of production, development, test' })
    .optional()
    .describe('`production`: the reference accepts keys of production; else those of test'),
});

/** Validates the environment: returns the options, or every fault at once. */
export function readReferenceConfig(env: NodeJS.ProcessEnv = process.env): ReferenceConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, text]) => text !== ''));
  const { data, error } = referenceSettings.safeParse(given);
  const faults = (error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (!data) return { faults: [...new Set(faults)] };

  const [limit, windowS] = data.REFERENCE_RATE_LIMIT.split(/\/|s/).map(Number);
  return {
    options: {
      databaseUrl: data.REFERENCE_DATABASE_URL,
      environment: data.NODE_ENV === 'production' ? 'production' : 'test',
      siteIdPrefix: data.SITE_ID_PREFIX,
      host: data.REFERENCE_HOST,
      port: data.REFERENCE_PORT,
      publicUrl: data.REFERENCE_PUBLIC_URL?.replace(/\/+$/, '') ?? localUrl(data.REFERENCE_PORT),
      logLevel: data.LOG_LEVEL === 'debug' ? 'info' : data.LOG_LEVEL,
      rateLimit: { limit: limit ?? 0, windowS: windowS ?? 0 },
      deprecation: data.REFERENCE_DEPRECATION,
    },
  };
}

function localUrl(port: number): string | null {
  return port === 0 ? null : `http://127.0.0.1:${port}`;
}
