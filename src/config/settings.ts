import { z } from 'zod';
import {
  baseUrl,
  type Declared,
  isOrigin,
  isRedisUrl,
  listOf,
  oneOf,
  optionalWholeNumber,
  subnetsFrom,
  wholeNumber,
} from './kinds.ts';
import { live } from './live.ts';
import { access, operations } from './operations.ts';

/*
 * Every setting of the gateway is declared once, here, in operations.ts or in live.ts: its name, the values that it accepts, its
 * default and its meaning. The type `Config`, `portico --help` and docs/settings.md derive from the declarations. A new
 * setting also needs its place in `configFrom` (config.ts) and a run of `npm run codegen`.
 */

const server = {
  common: {
    NODE_ENV: z
      .string()
      .optional()
      .describe(
        '`production` requires `UPSTREAM_URL`, and sets safer defaults for `GRAPHIQL` and `INTROSPECTION`',
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
  },
  advanced: {
    // Longer than OPERATION_TIMEOUT_MS, and shorter than the 30 s that Kubernetes grants by default.
    DRAIN_TIMEOUT_MS: wholeNumber(0, 3_600_000, 25_000).describe(
      'Time limit for requests in progress at a shutdown; the rest is cut off and the process exits with 1',
    ),
    MAX_CONNECTIONS: wholeNumber(1, 1_000_000, 10_000).describe('Maximum number of client connections'),
    MAX_UNREAD_BYTES: wholeNumber(65_536, 17_179_869_184, 67_108_864).describe(
      'Maximum bytes of responses that clients have not read, over all connections; beyond it the slowest readers are disconnected and new operations get 503',
    ),
    REQUEST_TIMEOUT_MS: wholeNumber(1, 3_600_000, 10_000).describe(
      'Time limit for receiving a request (then 408) and for a stalled response write',
    ),
    // Load balancers keep idle connections for about 60 s. If this were shorter, a connection could close as they reuse it.
    KEEP_ALIVE_MS: wholeNumber(1, 3_600_000, 65_000).describe(
      'Time that an idle connection stays open; set it longer than the idle timeout of a load balancer in front',
    ),
    MAX_BODY_BYTES: wholeNumber(1024, 104_857_600, 131_072).describe('Maximum size of a request body'),
    MAX_CONCURRENT_OPERATIONS: wholeNumber(1, 1_000_000, 1000).describe(
      'Maximum number of operations in progress; further ones get 503 with `Retry-After`',
    ),
  },
};

const restApi = {
  common: {
    UPSTREAM_URL: baseUrl().describe(
      'Base URL of the REST API, to which `/v1/…` is appended; unset: the embedded reference',
    ),
    UPSTREAM_TIMEOUT_MS: wholeNumber(1, 600_000, 10_000).describe(
      'Deadline of one REST call, from the wait for a connection to the last byte',
    ),
    UPSTREAM_CONNECTIONS: wholeNumber(1, 10_000, 128).describe(
      'Maximum number of connections to the REST API',
    ),
    SITE_ID_PREFIX: z
      .string()
      .regex(/^\w{1,32}$/, { error: 'must be one word' })
      .default('SITE')
      .describe('Prefix of the site ids: `SITE` for `SITE-1001`'),
  },
  advanced: {
    ALLOW_INSECURE_UPSTREAM: oneOf('on', 'off').describe(
      '`on` permits a plain `http:` upstream on another host: API keys travel unencrypted',
    ),
    UPSTREAM_MAX_RESPONSE_BYTES: wholeNumber(1024, 1_073_741_824, 16_777_216).describe(
      'Maximum size of one response of the REST API',
    ),
  },
};

const cache = {
  common: {
    CACHE_TTL_MS: wholeNumber(0, 86_400_000, 0).describe(
      'Time that a cached response of the REST API is fresh; it serves the same key only; 0: never',
    ),
    CACHE_STALE_IF_ERROR_MS: wholeNumber(0, 604_800_000, 0).describe(
      'Time after `CACHE_TTL_MS` in which a cached response replaces a failed call',
    ),
    CACHE_URL: z
      .string()
      .refine(isRedisUrl, {
        error: 'must be a redis: or rediss: URL: redis://user:password@host:6379/0, percent-encoded',
      })
      .optional()
      .describe(
        'Redis or Valkey through which gateways share cached responses, encrypted, and rate limits that are exhausted; unset: not shared',
      ),
  },
  advanced: {
    CACHE_MAX_BYTES: wholeNumber(1024, 17_179_869_184, 67_108_864).describe(
      'Maximum memory of the cached responses',
    ),
  },
};

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const telemetry = {
  common: {
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
    OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl().describe(
      'Base URL of an OTLP/HTTP collector, to which `/v1/traces` is appended; unset: no traces',
    ),
  },
  advanced: {
    OTEL_SERVICE_NAME: z.string().default('portico').describe('Service name in traces'),
    OTEL_TRACES_SAMPLER_ARG: z
      .string()
      .default('1')
      .refine((text) => /^(0|1|0?\.\d{1,9}|1\.0)$/.test(text), { error: 'must be a number from 0 to 1' })
      .transform(Number)
      .describe('Share of operations that is traced, 0 to 1, unless `traceparent` of the request decides it'),
    OTEL_PROPAGATE_UPSTREAM: oneOf('on', 'off').describe('`on` sends `traceparent` to the REST API'),
  },
};

/** A heading of the help and of docs/settings.md. */
export interface Section {
  heading: string;
  /** What an operator reads first. */
  common: Declared;
  advanced: Declared;
}

export const sections: readonly Section[] = [
  { heading: 'Server', ...server },
  { heading: 'REST API', ...restApi },
  { heading: 'Cache', ...cache },
  { heading: 'Operations', ...operations },
  { heading: 'Live queries', ...live },
  { heading: 'Access', ...access },
  { heading: 'Telemetry', ...telemetry },
];

export const settings = z.object({
  ...server.common,
  ...server.advanced,
  ...restApi.common,
  ...restApi.advanced,
  ...cache.common,
  ...cache.advanced,
  ...operations.common,
  ...operations.advanced,
  ...live.common,
  ...live.advanced,
  ...access.common,
  ...telemetry.common,
  ...telemetry.advanced,
});
