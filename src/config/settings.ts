import { isIP } from 'node:net';
import { z } from 'zod';

/*
 * Every setting of the gateway is declared once, here: its name, the values that it accepts, its default and
 * its meaning. The type `Config`, `portico --help` and docs/settings.md derive from the declarations. A new
 * setting also needs its place in `configFrom` (config.ts) and a run of `npm run codegen`.
 */

/** Declared settings by name. */
export type Declared = Readonly<Record<string, z.ZodType>>;

/** The names of the settings that most operators leave as they are. */
export const advancedNames = new Set<string>();

/** Adds the names of these settings to `advancedNames`. */
export function advanced<T extends Declared>(declared: T): T {
  for (const name of Object.keys(declared)) advancedNames.add(name);
  return declared;
}

const server = {
  NODE_ENV: oneOf('production', 'development', 'test').describe(
    '`production` requires `UPSTREAM_URL`, and sets safer defaults for `GRAPHIQL`, `INTROSPECTION` and `LIVE`; `development` and `test` are as unset',
  ),
  PORT: wholeNumber(0, 65_535, 4000).describe('Port of the gateway; 0 picks a free one'),
  HOST: z.string().default('127.0.0.1').describe('Address that the gateway listens on'),
  CORS_ORIGINS: listOf(
    (text) => text === '*' || isOrigin(text),
    'must be *, or origins as browsers send them, separated by commas: https://app.example.com',
  ).describe('Origins of web pages that may send requests, separated by commas; `*`: any; unset: none'),
  TRUST_PROXY: listOf(
    (text) => subnetsFrom(text).length > 0,
    'must be addresses, CIDR blocks, loopback, linklocal or uniquelocal, separated by commas',
  )
    .transform((elements) => elements.flatMap(subnetsFrom))
    .describe(
      'Proxies whose `X-Forwarded-Proto` is trusted: addresses, CIDR blocks, `loopback`, `linklocal`, `uniquelocal`, separated by commas; unset: none',
    ),
  DRAIN_DELAY_MS: wholeNumber(0, 600_000, 0).describe(
    'Time after SIGTERM in which the gateway still serves while `/readyz` responds with 503',
  ),
  ...advanced({
    // Longer than OPERATION_TIMEOUT_MS, and shorter than the 30 s that Kubernetes grants by default.
    DRAIN_TIMEOUT_MS: wholeNumber(0, 3_600_000, 25_000).describe(
      'Time limit for requests in progress at a shutdown; the rest is cut off and the process exits with 1',
    ),
    MAX_CONNECTIONS: wholeNumber(1, 1_000_000, 10_000).describe(
      'Maximum number of client connections per process',
    ),
    MAX_UNREAD_BYTES: wholeNumber(65_536, 17_179_869_184, 67_108_864).describe(
      'Maximum bytes of responses that clients have not read, over all connections of a process; beyond it the slowest readers are disconnected and new operations get 503',
    ),
    REQUEST_TIMEOUT_MS: wholeNumber(1, 3_600_000, 10_000).describe(
      'Time limit for receiving a request (then 408) and for a stalled response write',
    ),
    // Longer than load balancers keep idle connections, or one could close as they reuse it.
    KEEP_ALIVE_MS: wholeNumber(1, 3_600_000, 65_000).describe(
      'Time that an idle connection stays open, and up to two seconds more; set it longer than the idle timeout of a load balancer in front',
    ),
    MAX_BODY_BYTES: wholeNumber(1024, 104_857_600, 131_072).describe('Maximum size of a request body'),
    MAX_CONCURRENT_OPERATIONS: wholeNumber(1, 1_000_000, 1000).describe(
      'Maximum number of operations in progress per process; further ones get 503 with `Retry-After`',
    ),
  }),
};

const restApi = {
  UPSTREAM_URL: baseUrl()
    .refine((url) => !/\/v1(\/(health|site|conversation)(\/.*)?)?\/*$/i.test(url?.pathname ?? ''), {
      error: 'must end before /v1, which the gateway appends',
    })
    .describe('Base URL of the REST API, to which `/v1/…` is appended; unset: the embedded reference'),
  UPSTREAM_TIMEOUT_MS: wholeNumber(1, 600_000, 10_000).describe(
    'Deadline of one REST call, from the wait for a connection to the last byte',
  ),
  UPSTREAM_CONNECTIONS: wholeNumber(1, 10_000, 128).describe(
    'Maximum number of connections to the REST API per process',
  ),
  SITE_ID_PREFIX: z
    .string()
    .regex(/^\w{1,32}$/, { error: 'must be one word' })
    .default('SITE')
    .describe('Prefix of the site ids: `SITE` for `SITE-1001`'),
  ...advanced({
    ALLOW_INSECURE_UPSTREAM: oneOf('on', 'off').describe(
      '`on` permits a plain `http:` upstream on another host: API keys travel unencrypted',
    ),
    UPSTREAM_MAX_RESPONSE_BYTES: wholeNumber(1024, 1_073_741_824, 16_777_216).describe(
      'Maximum size of one response of the REST API',
    ),
  }),
};

const cache = {
  CACHE_TTL_MS: wholeNumber(0, 86_400_000, 0).describe(
    'Time that a cached response of the REST API is fresh; it serves the same key only; 0: never',
  ),
  CACHE_STALE_IF_ERROR_MS: wholeNumber(0, 604_800_000, 0).describe(
    'Time after `CACHE_TTL_MS` in which a cached response replaces a failed call',
  ),
  CACHE_URL: redisUrl().describe(
    'Redis or Valkey through which gateways share cached responses and polls of live queries, encrypted, and the rate limits of keys; unset: not shared',
  ),
  ...advanced({
    CACHE_MAX_BYTES: wholeNumber(1024, 17_179_869_184, 67_108_864).describe(
      'Maximum memory of the cached responses, per process; with `CACHE_URL` they are in Redis or Valkey',
    ),
  }),
};

/** What one operation may cost: its time, its REST calls, its document, its response. */
const operations = {
  OPERATION_TIMEOUT_MS: wholeNumber(1, 3_600_000, 20_000).describe(
    'Deadline of one operation; fields that are not resolved by then fail',
  ),
  MAX_UPSTREAM_CALLS: wholeNumber(1, 100_000, 50).describe('Maximum number of REST calls of one operation'),
  ...advanced({
    MAX_IDS: wholeNumber(1, 10_000, 50).describe('Maximum number of ids in one list argument'),
    MAX_RESPONSE_BYTES: wholeNumber(1024, 1_073_741_824, 16_777_216).describe(
      'Maximum size of a response; a larger one is rejected before it is built',
    ),
    MAX_DEPTH: wholeNumber(1, 1000, 12).describe('Maximum depth of fields in an operation'),
    COMPILED_BYTES: wholeNumber(0, 17_179_869_184, 33_554_432).describe(
      'Maximum memory of compiled operations, per process; 0: no operation is compiled',
    ),
  }),
};

/** Live queries: whether there are any, how often they poll, and what they may take. */
const live = {
  LIVE: oneOf('on', 'off').describe(
    'Live queries, `subscription { live { … } }`, which poll the REST API; unset: `on`, in production `off`',
  ),
  LIVE_INTERVAL_S: wholeNumber(1, 3600, 5).describe(
    'Seconds between two polls of a resource where the operation names no interval, and the shortest that it may name',
  ),
  LIVE_CALLS_PER_MINUTE: wholeNumber(1, 1_000_000, 60).describe(
    'Maximum number of polls of one key in a minute, per process or over all gateways with one `CACHE_URL`: with more resources the interval grows',
  ),
  ...advanced({
    LIVE_STALE_S: wholeNumber(0, 86_400, 60).describe(
      'Seconds in which polls may fail before the streams that show their data report it as stale',
    ),
    LIVE_MAX_STREAMS: wholeNumber(1, 1_000_000, 2000).describe(
      'Maximum number of open streams per process; one key may have 100, and more as long as as many are free: alone, half of them',
    ),
    LIVE_MAX_BYTES: wholeNumber(131_072, 17_179_869_184, 134_217_728).describe(
      'Maximum memory of the responses, results and documents that live queries keep, per process; half of it for one key',
    ),
  }),
};

/** Who may send which documents, and read the schema. */
const access = {
  GRAPHIQL: oneOf('on', 'off').describe('GraphiQL at `/graphql`; unset: `on`, in production `off`'),
  INTROSPECTION: oneOf('open', 'key', 'off').describe(
    'Which clients may read the schema: `open`: all, `key`: those with an API key, `off`: none; unset: `open`, in production `key`',
  ),
  FEDERATION: oneOf('on', 'off').describe(
    '`on` makes the gateway a subgraph of Apollo Federation 2, for routers: `_entities` and `_service`',
  ),
  TRUSTED_DOCUMENTS: z
    .string()
    .optional()
    .describe('JSON file of documents by id; clients may send an id in place of a document; unset: none'),
  TRUSTED_DOCUMENTS_ONLY: oneOf('on', 'off').describe(
    '`on` rejects every document that is not in `TRUSTED_DOCUMENTS`',
  ),
};

/** The names of those that decide which documents are valid, and how many calls they make. */
export const planningSettings = [
  ...['SITE_ID_PREFIX', 'INTROSPECTION', 'FEDERATION'],
  ...Object.keys({ ...operations, ...live }),
];

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const telemetry = {
  LOG_LEVEL: z
    .enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` })
    .default('info')
    .describe(
      '`info`: one line per operation; `warn`: upstream failures; `error`: faults of the gateway; also `debug`, `silent`',
    ),
  ADMIN_PORT: optionalWholeNumber(0, 65_535)
    .optional()
    .describe(
      'Port of `/metrics` and of the probes `/livez` and `/readyz`; 0 picks a free one; unset: no metrics',
    ),
  ADMIN_HOST: z.string().default('127.0.0.1').describe('Address that `ADMIN_PORT` listens on'),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl()
    .refine((url) => url?.port !== '4317', {
      error: 'must have the port for OTLP over HTTP, by default 4318: 4317 is for gRPC',
    })
    .refine((url) => !/\/v1\/(traces|metrics|logs)\/*$/.test(url?.pathname ?? ''), {
      error: 'must be the base URL of the collector: /v1/traces is appended',
    })
    .describe('Base URL of an OTLP/HTTP collector, to which `/v1/traces` is appended; unset: no traces'),
  ...advanced({
    OTEL_PROPAGATE_UPSTREAM: oneOf('on', 'off').describe('`on` sends `traceparent` to the REST API'),
  }),
};

/** A heading of the help and of docs/settings.md. */
interface Section {
  heading: string;
  settings: Declared;
}

export const sections: readonly Section[] = [
  { heading: 'Server', settings: server },
  { heading: 'REST API', settings: restApi },
  { heading: 'Cache', settings: cache },
  { heading: 'Operations', settings: operations },
  { heading: 'Live queries', settings: live },
  { heading: 'Access', settings: access },
  { heading: 'Telemetry', settings: telemetry },
];

export const settings = z.object({
  ...server,
  ...restApi,
  ...cache,
  ...operations,
  ...live,
  ...access,
  ...telemetry,
});

/* Kinds of settings. Each error message completes "NAME …". */

function wholeNumber(min: number, max: number, fallback: number) {
  return optionalWholeNumber(min, max).prefault(String(fallback));
}

/** Wrap it in `.optional()` where the setting has no default. */
function optionalWholeNumber(min: number, max: number) {
  return z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);
}

function oneOf<const T extends string>(...words: T[]) {
  return z.enum(words, { error: `must be one of ${words.join(', ')}` }).optional();
}

/** A comma-separated list, each element of which passes the test; unset: an empty list. */
function listOf(isElement: (text: string) => boolean, error: string) {
  return z
    .string()
    .optional()
    .transform((text) => text?.split(',').map((element) => element.trim()) ?? [])
    .refine((elements) => elements.every(isElement), { error });
}

/** The base URL of another server; unset: null. */
function baseUrl() {
  return z
    .url({ protocol: /^https?$/, error: 'must be an http: or https: URL' })
    .transform((text) => new URL(text))
    .refine(({ username, password }) => username + password === '', {
      error: 'must not hold a user name or a password',
    })
    .refine(({ search, hash }) => search + hash === '', { error: 'must not hold a query or a fragment' })
    .optional()
    .transform((url) => url ?? null);
}

/** A URL that ioredis, which parses it itself, reads as Redis documents. */
function redisUrl() {
  const error = 'must be a redis: or rediss: URL: redis://user:password@host:6379/0, percent-encoded';
  const isRead = ({ pathname, username, password }: URL) =>
    /^(\/\d*)?$/.test(pathname) && !/%(?![\da-f]{2})/i.test(username + password);
  return z
    .url({ protocol: /^rediss?$/, hostname: /./, error, abort: true })
    .refine((text) => isRead(new URL(text)), { error })
    .optional();
}

/** Whether it is an `Origin` as browsers send it; `null`, which any sandboxed page sends, is none. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** A block of IP addresses, in the terms of `net.BlockList`. */
interface Subnet {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

const namedSubnets: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** The blocks that an address, a CIDR block or a name stands for; none where it is none of these. */
function subnetsFrom(text: string): Subnet[] {
  if (Object.hasOwn(namedSubnets, text)) return namedSubnets[text]?.flatMap(subnetsFrom) ?? [];
  const [address = '', length, ...rest] = text.split('/');
  const version = isIP(address);
  const bits = version === 6 ? 128 : 32;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : 0;
  if (version === 0 || rest.length > 0 || prefix < 1 || prefix > bits) return [];
  return [{ address, prefix, family: version === 6 ? 'ipv6' : 'ipv4' }];
}
