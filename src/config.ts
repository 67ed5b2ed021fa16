import { z } from 'zod';

/** What the gateway runs on; durations in milliseconds, sizes in bytes. */
export interface Config {
  host: string;
  port: number;
  maxBodyBytes: number;
  operationTimeoutMs: number;
  graphiql: boolean;
  /** Who may read the schema: anybody, whoever has a key, nobody. */
  introspection: 'open' | 'key' | 'off';
  siteIdPrefix: string;
  maxIds: number;
  upstream: {
    /** Null: the embedded reference. */
    url: URL | null;
    timeoutMs: number;
    connections: number;
    /** How many calls may wait for a connection. */
    queue: number;
    maxResponseBytes: number;
    /** How many of a hundred calls may be repeated. */
    retryPercent: number;
    breakerFailurePercent: number;
    breakerProbeMs: number;
    coalescing: boolean;
    cache: {
      life: { freshMs: number; staleMs: number };
      maxBytes: number;
      url: string | null;
    };
  };
}

/** Either a whole configuration, or every fault of it, each naming its variable. */
export type ConfigResult = { config: Config; faults?: never } | { config?: never; faults: string[] };

/** The only place that reads the environment of the process. */
export function readEnv(): NodeJS.ProcessEnv {
  return process.env;
}

const wholeNumber = (min: number, max: number, fallback: number) =>
  z
    .string()
    .default(String(fallback))
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);

const oneOf = <const T extends string>(...words: T[]) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` }).optional();

/** Every setting with its default and, for the tables in the documentation, what it means. */
export const settings = z.object({
  PORT: wholeNumber(0, 65_535, 4000).describe('Port of the gateway; 0 takes a free one'),
  HOST: z.string().default('127.0.0.1').describe('Address that the gateway listens on'),
  UPSTREAM_URL: z
    .string()
    .optional()
    .transform((text, context) => {
      const url = text === undefined ? null : upstreamUrlFrom(text);
      if (typeof url === 'string') context.addIssue({ code: 'custom', message: url });
      return typeof url === 'string' ? z.NEVER : url;
    })
    .describe('Base address of the REST API, to whose path `/v1/…` is added; unset: the embedded reference'),
  ALLOW_INSECURE_UPSTREAM: oneOf('on', 'off').describe(
    '`on` lets keys travel over plain `http:` to a host that is not loopback',
  ),
  UPSTREAM_TIMEOUT_MS: wholeNumber(1, 600_000, 10_000).describe(
    'Deadline of one REST call, from the wait for a connection to the last byte',
  ),
  UPSTREAM_CONNECTIONS: wholeNumber(1, 10_000, 128).describe('How many connections to the REST API at most'),
  UPSTREAM_QUEUE: wholeNumber(0, 1_000_000, 1024).describe('How many REST calls may wait for a connection'),
  UPSTREAM_MAX_RESPONSE_BYTES: wholeNumber(1024, 1_073_741_824, 16_777_216).describe(
    'How large one answer of the REST API may be',
  ),
  RETRY_PERCENT: wholeNumber(0, 100, 20).describe(
    'How many of a hundred REST calls may be repeated after a 502, 503, 504 or a lost connection',
  ),
  BREAKER_FAILURE_PERCENT: wholeNumber(1, 100, 80).describe(
    'How many of a hundred REST calls may fail before the REST API counts as down',
  ),
  BREAKER_PROBE_MS: wholeNumber(1, 60_000, 250).describe(
    'How often one call is let through while the REST API counts as down',
  ),
  COALESCING: oneOf('on', 'off').describe(
    'Whether equal REST calls of one key that are under way together are made once; unset: `on`',
  ),
  CACHE_TTL_MS: wholeNumber(0, 86_400_000, 0).describe(
    'How long an answer of the REST API is served again to the same key; 0: never',
  ),
  CACHE_STALE_IF_ERROR_MS: wholeNumber(0, 604_800_000, 0).describe(
    'How long after that it may stand in for an answer while the REST API fails',
  ),
  CACHE_MAX_BYTES: wholeNumber(1024, 17_179_869_184, 67_108_864).describe(
    'How much memory kept answers may take',
  ),
  CACHE_URL: z
    .string()
    .refine(isRedisUrl, {
      error: 'must be a redis: or rediss: URL: redis://user:password@host:6379/0, percent-encoded',
    })
    .optional()
    .describe(
      'Redis or Valkey, where several gateways keep answers together, sealed; unset: each in its memory',
    ),
  OPERATION_TIMEOUT_MS: wholeNumber(1, 3_600_000, 20_000).describe(
    'Deadline of one operation: what has not come by then fails',
  ),
  SITE_ID_PREFIX: z
    .string()
    .regex(/^\w{1,32}$/, { error: 'must be one word' })
    .default('SITE')
    .describe("The provider's prefix word of site ids"),
  MAX_IDS: wholeNumber(1, 10_000, 50).describe('How many ids one list argument may hold'),
  MAX_BODY_BYTES: wholeNumber(1024, 104_857_600, 131_072).describe('How large the body of a request may be'),
  GRAPHIQL: oneOf('on', 'off').describe(
    'The page at `/graphql`, `on` or `off`; unset: `on`, in production `off`',
  ),
  INTROSPECTION: oneOf('open', 'key', 'off').describe(
    'Who may read the schema: `open` to anybody, `key` to whoever has one, `off`; unset: `open`, in production `key`',
  ),
  NODE_ENV: z
    .string()
    .optional()
    .describe('`production` refuses demo data and keys, and sets safer defaults'),
});

/** Reads every setting; an empty one counts as unset. */
export function configFromEnv(env: NodeJS.ProcessEnv): ConfigResult {
  const given = Object.fromEntries(Object.entries(env).filter(([, text]) => text !== ''));
  const { data, error } = settings.safeParse(given);
  const faults = [
    ...(error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`),
    ...faultsTogether(given),
  ];
  if (!data || faults.length > 0) return { faults };

  const production = data.NODE_ENV === 'production';
  return {
    config: {
      host: data.HOST,
      port: data.PORT,
      maxBodyBytes: data.MAX_BODY_BYTES,
      operationTimeoutMs: data.OPERATION_TIMEOUT_MS,
      graphiql: (data.GRAPHIQL ?? (production ? 'off' : 'on')) === 'on',
      introspection: data.INTROSPECTION ?? (production ? 'key' : 'open'),
      siteIdPrefix: data.SITE_ID_PREFIX,
      maxIds: data.MAX_IDS,
      upstream: {
        url: data.UPSTREAM_URL,
        timeoutMs: data.UPSTREAM_TIMEOUT_MS,
        connections: data.UPSTREAM_CONNECTIONS,
        queue: data.UPSTREAM_QUEUE,
        maxResponseBytes: data.UPSTREAM_MAX_RESPONSE_BYTES,
        retryPercent: data.RETRY_PERCENT,
        breakerFailurePercent: data.BREAKER_FAILURE_PERCENT,
        breakerProbeMs: data.BREAKER_PROBE_MS,
        coalescing: data.COALESCING !== 'off',
        cache: {
          life: { freshMs: data.CACHE_TTL_MS, staleMs: data.CACHE_STALE_IF_ERROR_MS },
          maxBytes: data.CACHE_MAX_BYTES,
          url: data.CACHE_URL ?? null,
        },
      },
    },
  };
}

/** What is wrong with settings that are right one by one. */
function faultsTogether(env: Record<string, string | undefined>): string[] {
  const { UPSTREAM_URL, ALLOW_INSECURE_UPSTREAM, NODE_ENV } = env;
  if (UPSTREAM_URL === undefined) {
    return NODE_ENV === 'production'
      ? ['UPSTREAM_URL must be set when NODE_ENV is production: the embedded reference serves demo data']
      : [];
  }
  const url = upstreamUrlFrom(UPSTREAM_URL);
  const insecure = url instanceof URL && url.protocol === 'http:' && !isLoopback(url.hostname);
  return insecure && ALLOW_INSECURE_UPSTREAM !== 'on'
    ? ['UPSTREAM_URL must be https: for a host that is not loopback, or ALLOW_INSECURE_UPSTREAM must be on']
    : [];
}

/** The base address, or what it must be. */
function upstreamUrlFrom(text: string): URL | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'must be an http: or https: URL';
  if (url.username || url.password) return 'must not hold a user name or a password';
  if (url.search || url.hash) return 'must not hold a query or a fragment';
  return url;
}

/** What the client of the store can read: it takes the parts apart itself. */
function isRedisUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined &&
    ['redis:', 'rediss:'].includes(url.protocol) &&
    url.hostname !== '' &&
    /^(\/\d*)?$/.test(url.pathname) &&
    !/%(?![\da-f]{2})/i.test(url.username + url.password)
  );
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
