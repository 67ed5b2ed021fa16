import * as z from 'zod';
import type { Given, Values } from './declaration.ts';
import { baseUrl, host, oneOf, wholeNumber } from './kinds.ts';

/* The settings of the core: each feature declares its own. */

export const addressSettings = {
  NODE_ENV: oneOf('production', 'development', 'test').describe(
    '`production` requires `UPSTREAM_URL`, and sets safer defaults for `GRAPHIQL`, `INTROSPECTION` and `LIVE`, and sends `Server-Timing` only on request; `development` and `test` behave as if it were unset',
  ),
  PORT: wholeNumber(0, 65_535, 4000).describe('Port of the gateway; 0 picks a free one'),
  HOST: host().default('127.0.0.1').describe('Address that the gateway listens on'),
};

export const listenerSettings = {
  DRAIN_DELAY_MS: wholeNumber(0, 600_000, 0).describe(
    'Time after SIGTERM in which the gateway still serves while `/readyz` responds with 503',
  ),
  // Longer than OPERATION_TIMEOUT_MS, and shorter than the 30 s that Kubernetes grants by default.
  DRAIN_TIMEOUT_MS: wholeNumber(0, 3_600_000, 25_000).describe(
    'Time limit for requests in progress at a shutdown; the rest is cut off and the process exits with 1',
  ),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000, 10_000).describe(
    'Maximum number of client connections per process',
  ),
  // Longer than load balancers keep idle connections, or one could close as they reuse it.
  KEEP_ALIVE_MS: wholeNumber(1, 3_600_000, 65_000).describe(
    'Time that an idle connection stays open, and up to two seconds more; set it longer than the idle timeout of a load balancer in front',
  ),
  MAX_CONCURRENT_OPERATIONS: wholeNumber(1, 1_000_000, 1000).describe(
    'Maximum number of operations in progress per process, of which one key gets at most nine tenths; further ones get 503 with `Retry-After`',
  ),
};

export const restApiSettings = {
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
  ALLOW_INSECURE_UPSTREAM: oneOf('on', 'off').describe(
    '`on` permits a plain `http:` upstream on another host: API keys travel unencrypted',
  ),
};

export const operationSettings = {
  OPERATION_TIMEOUT_MS: wholeNumber(1, 3_600_000, 20_000).describe(
    'Deadline of one operation; fields that are not resolved by then fail',
  ),
  MAX_UPSTREAM_CALLS: wholeNumber(1, 100_000, 50).describe('Maximum number of REST calls of one operation'),
};

export const introspectionSettings = {
  INTROSPECTION: oneOf('open', 'key', 'off').describe(
    'Which clients may read the schema: `open`: all, `key`: those with an API key, `off`: none; unset: `open`, in production `key`',
  ),
};

/** Limits that protect the process. They are no settings: only tests change them. */
export const coreLimits = {
  /** Responses that clients have not read, over all connections; beyond it those with the most are closed. */
  maxUnreadBytes: 67_108_864,
  /** Time limit for receiving a request (408), and for a response that its client stops reading. */
  requestTimeoutMs: 10_000,
  maxBodyBytes: 131_072,
  /** Ids in one list argument. */
  maxIds: 50,
  /** Size of a response: a larger one is rejected. */
  maxResponseBytes: 16_777_216,
  /** Fields and list elements of a response: some two megabytes of JSON, and a tenth of a second. */
  maxValues: 100_000,
  maxErrors: 10,
  /** Sites and conversations that an operation names, duplicates included: a copy costs time and bytes, but no call. */
  maxResources: 100,
  /** A document, in which a fragment counts wherever it is spread. */
  characters: 32_768,
  tokens: 1000,
  depth: 12,
  selections: 5000,
  introspectionAliases: 2,
  /** Memory of parsed documents, and of compiled operations: the least recently used ones are dropped. */
  documentCacheBytes: 33_554_432,
  compiledBytes: 33_554_432,
  maxUpstreamBytes: 16_777_216,
  /** The bytes of large bodies that are read or held by operations, over all of them (docs/sizing.md). */
  bodyRoomBytes: 67_108_864,
  /** A change of DNS is seen within this time, although calls go on. */
  maxConnectionAgeMs: 60_000,
  /** Calls that wait for a connection, eight times the default of these: what waits longer would exceed its deadline. */
  maxQueued: 1024,
  /** One retry for five calls: an outage adds at most a fifth to the load of the REST API. */
  retryPercent: 20,
  /** Calls that must fail before a circuit opens. */
  minFailures: 10,
  /** Four probes a second: a circuit closes within a second of the end of an outage. */
  probeMs: 250,
};

export type CoreLimits = typeof coreLimits;

export type CoreValues = Values<
  typeof addressSettings &
    typeof listenerSettings &
    typeof restApiSettings &
    typeof operationSettings &
    typeof introspectionSettings
>;

/** The configuration of the core; durations in milliseconds, sizes in bytes. */
export type CoreConfig = ReturnType<typeof coreConfig>;

export function coreConfig(values: CoreValues) {
  return {
    ...coreLimits,
    host: values.HOST,
    port: values.PORT,
    drain: { delayMs: values.DRAIN_DELAY_MS, timeoutMs: values.DRAIN_TIMEOUT_MS },
    edge: { maxConnections: values.MAX_CONNECTIONS, keepAliveMs: values.KEEP_ALIVE_MS },
    maxConcurrentOperations: values.MAX_CONCURRENT_OPERATIONS,
    operationTimeoutMs: values.OPERATION_TIMEOUT_MS,
    introspection: values.INTROSPECTION ?? (isProduction(values) ? 'key' : 'open'),
    siteIdPrefix: values.SITE_ID_PREFIX,
    maxUpstreamCalls: values.MAX_UPSTREAM_CALLS,
    upstream: {
      /** Null: the embedded reference. */
      url: values.UPSTREAM_URL,
      timeoutMs: values.UPSTREAM_TIMEOUT_MS,
      connections: values.UPSTREAM_CONNECTIONS,
    },
  };
}

/** True if the gateway has the safer defaults. */
export function isProduction({ NODE_ENV }: Pick<CoreValues, 'NODE_ENV'>): boolean {
  return NODE_ENV === 'production';
}

export function coreContradictions(given: Given): string[] {
  const url = restApiSettings.UPSTREAM_URL.safeParse(given.UPSTREAM_URL).data;
  return [
    given.UPSTREAM_URL === undefined &&
      given.NODE_ENV === 'production' &&
      'UPSTREAM_URL must be set when NODE_ENV is production: the embedded reference serves demo data',
    url?.protocol === 'http:' &&
      !isLoopback(url.hostname) &&
      given.ALLOW_INSECURE_UPSTREAM !== 'on' &&
      'UPSTREAM_URL must be https: for a host that is not loopback, or ALLOW_INSECURE_UPSTREAM must be on',
  ].filter((fault) => fault !== false);
}

/** True if a host, a name or address as a URL has it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
