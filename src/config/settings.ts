import { z } from 'zod';
import { edgeSettings } from './edge.ts';
import { baseUrl, isRedisUrl, oneOf, wholeNumber } from './kinds.ts';
import { lifeSettings } from './life.ts';
import { telemetrySettings } from './telemetry.ts';

/** Every setting with its default and, for the tables in the documentation, what it means. */
export const settings = z.object({
  PORT: wholeNumber(0, 65_535, 4000).describe('Port of the gateway; 0 takes a free one'),
  HOST: z.string().default('127.0.0.1').describe('Address that the gateway listens on'),
  ...lifeSettings,
  ...edgeSettings,
  UPSTREAM_URL: baseUrl().describe(
    'Base address of the REST API, to whose path `/v1/…` is added; unset: the embedded reference',
  ),
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
      'Redis or Valkey, where several gateways keep answers together, sealed, and tell each other whose rate limit is spent; unset: each for itself',
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
  MAX_UPSTREAM_CALLS: wholeNumber(1, 100_000, 50).describe('How many REST calls one operation may make'),
  MAX_RESOURCES: wholeNumber(1, 1_000_000, 100).describe(
    'How many sites and conversations one operation may name, duplicates included',
  ),
  MAX_RESPONSE_VALUES: wholeNumber(1, 1_000_000_000, 100_000).describe(
    'How many values (fields and list elements) a response may hold',
  ),
  MAX_RESPONSE_BYTES: wholeNumber(1024, 1_073_741_824, 16_777_216).describe(
    'Size limit of a response in bytes; a larger one is refused before it is built',
  ),
  MAX_CONCURRENT_OPERATIONS: wholeNumber(1, 1_000_000, 1000).describe(
    'How many operations may be at work at once; more are told to come back',
  ),
  MAX_BODY_BYTES: wholeNumber(1024, 104_857_600, 131_072).describe('How large the body of a request may be'),
  MAX_DOCUMENT_CHARACTERS: wholeNumber(1, 104_857_600, 32_768).describe(
    'How long the text of a document may be',
  ),
  MAX_TOKENS: wholeNumber(1, 10_000_000, 1000).describe('How many tokens a document may have'),
  MAX_DEPTH: wholeNumber(1, 1000, 12).describe('How many levels of fields an operation may have'),
  MAX_INTROSPECTION_DEPTH: wholeNumber(1, 1000, 20).describe(
    'How many levels of fields it may have below `__schema` and `__type`',
  ),
  MAX_INTROSPECTION_ALIASES: wholeNumber(0, 1000, 2).describe(
    'How many aliases it may have there, `__schema` included',
  ),
  MAX_ROOT_FIELDS: wholeNumber(1, 1_000_000, 50).describe('How many fields it may have at its root'),
  MAX_FIELDS: wholeNumber(1, 10_000_000, 5000).describe(
    'How many fields it may have in all, each fragment counted where it is spread',
  ),
  MAX_ALIASES: wholeNumber(0, 1_000_000, 100).describe('How many aliases it may have, counted likewise'),
  MAX_DIRECTIVES: wholeNumber(0, 1_000_000, 50).describe('How many directives it may have, counted likewise'),
  MAX_ERRORS: wholeNumber(1, 100_000, 10).describe(
    'How many errors a response lists; `extensions.omittedErrors` counts the rest',
  ),
  DOCUMENT_CACHE_BYTES: wholeNumber(0, 17_179_869_184, 33_554_432).describe(
    'How much memory documents may take that have been parsed',
  ),
  COMPILED_BYTES: wholeNumber(0, 17_179_869_184, 33_554_432).describe(
    'How much memory compiled operations may take, which makes the common ones fast; 0: none is compiled',
  ),
  COMPILE_PERCENT: wholeNumber(1, 100, 10).describe(
    'How much of its time the gateway may compile, in percent',
  ),
  GRAPHIQL: oneOf('on', 'off').describe(
    'The page at `/graphql`, `on` or `off`; unset: `on`, in production `off`',
  ),
  INTROSPECTION: oneOf('open', 'key', 'off').describe(
    'Who may read the schema: `open` to anybody, `key` to whoever has one, `off`; unset: `open`, in production `key`',
  ),
  TRUSTED_DOCUMENTS: z
    .string()
    .optional()
    .describe('JSON file of documents by their ids, which callers may send in their place; unset: none'),
  TRUSTED_DOCUMENTS_ONLY: oneOf('on', 'off').describe(
    '`on` refuses every operation but those of `TRUSTED_DOCUMENTS`',
  ),
  ...telemetrySettings,
  NODE_ENV: z
    .string()
    .optional()
    .describe('`production` refuses demo data and keys, and sets safer defaults'),
});
