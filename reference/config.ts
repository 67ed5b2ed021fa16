import { z } from 'zod';
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

const isDecodable = (text: string) => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/** Whether pg reads the URL, which may lack a host; it takes a `%` that encodes nothing as it is. */
const isPostgres = (text: string) =>
  URL.canParse(text.replace('@/', '@host/')) &&
  isDecodable(text.replace(/%(?=[^a-f\d]|[a-f\d][^a-f\d])/gi, '%25'));

const day = z.iso.date({ error: 'must be a date, YYYY-MM-DD' }).optional();

/** Every setting with its default and, for the documentation, its description. */
export const referenceSettings = z.object({
  REFERENCE_PORT: wholeNumber(0, 65_535, 4001).describe(
    'Port of the standalone reference; 0 picks a free one',
  ),
  REFERENCE_HOST: word(/^\S+$/, 'a host name or address')
    .default('127.0.0.1')
    .describe('Address that the standalone reference listens on'),
  REFERENCE_ENVIRONMENT: z
    .enum(['test', 'production'], { error: 'must be one of test, production' })
    .optional()
    .describe(
      'Environment of the keys that the reference accepts, `test` or `production`; unset: `production` if `NODE_ENV` is, else `test`',
    ),
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
  REFERENCE_RATE_LIMIT: wholeNumber(1, 1_000_000_000, 6000).describe(
    'Requests that the reference accepts from one key per window',
  ),
  REFERENCE_RATE_LIMIT_WINDOW_S: wholeNumber(1, 86_400, 60).describe('Length of that window, in seconds'),
  REFERENCE_DEPRECATION_DATE: day.describe(
    'Date from which `/v1` of the reference is deprecated, YYYY-MM-DD',
  ),
  REFERENCE_SUNSET_DATE: day.describe(
    'Date on which `/v1` of the reference ends; needs `REFERENCE_DEPRECATION_DATE`',
  ),
  REFERENCE_LOG_LEVEL: z
    .enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` })
    .default('info')
    .describe(
      'Log of the standalone reference: `info`: one line per request; `warn`: Postgres that is not available; `error`: faults; also `silent`',
    ),
  SITE_ID_PREFIX: word(/^\w{1,32}$/, 'one word')
    .default('SITE')
    .describe('The prefix word of site ids'),
  NODE_ENV: z
    .enum(['production', 'development', 'test'], { error: 'must be one of production, development, test' })
    .optional()
    .describe('`production` makes REFERENCE_ENVIRONMENT that'),
});

/** Validates the environment: returns the options, or every fault at once. */
export function readReferenceConfig(env: NodeJS.ProcessEnv = process.env): ReferenceConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, text]) => text !== ''));
  const { data, error } = referenceSettings.safeParse(given);
  const faults = (error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`);
  if (!data) return { faults: [...new Set(faults)] };

  const { REFERENCE_DEPRECATION_DATE: deprecated, REFERENCE_SUNSET_DATE: sunset } = data;
  // ISO dates sort as text.
  if (sunset !== undefined && (deprecated === undefined || sunset < deprecated)) {
    return { faults: ['REFERENCE_SUNSET_DATE must be on or after REFERENCE_DEPRECATION_DATE'] };
  }
  const byProcess = data.NODE_ENV === 'production' ? 'production' : 'test';
  return {
    options: {
      databaseUrl: data.REFERENCE_DATABASE_URL,
      environment: data.REFERENCE_ENVIRONMENT ?? byProcess,
      siteIdPrefix: data.SITE_ID_PREFIX,
      host: data.REFERENCE_HOST,
      port: data.REFERENCE_PORT,
      publicUrl: data.REFERENCE_PUBLIC_URL?.replace(/\/+$/, '') ?? localUrl(data.REFERENCE_PORT),
      logLevel: data.REFERENCE_LOG_LEVEL,
      rateLimit: {
        limit: data.REFERENCE_RATE_LIMIT,
        windowS: data.REFERENCE_RATE_LIMIT_WINDOW_S,
      },
      deprecation:
        deprecated === undefined ? undefined : { date: new Date(deprecated), sunset: dateFrom(sunset) },
    },
  };
}

function localUrl(port: number): string | null {
  return port === 0 ? null : `http://127.0.0.1:${port}`;
}

function dateFrom(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
