import { z } from 'zod';
import { oneOf, wholeNumber } from './kinds.ts';

/** What one operation may cost: its time, its REST calls, its document, its response. */
export const operations = {
  common: {
    OPERATION_TIMEOUT_MS: wholeNumber(1, 3_600_000, 20_000).describe(
      'Deadline of one operation; fields that are not resolved by then fail',
    ),
    MAX_UPSTREAM_CALLS: wholeNumber(1, 100_000, 50).describe('Maximum number of REST calls of one operation'),
  },
  advanced: {
    MAX_IDS: wholeNumber(1, 10_000, 50).describe('Maximum number of ids in one list argument'),
    MAX_RESOURCES: wholeNumber(1, 1_000_000, 100).describe(
      'Maximum number of sites and conversations that one operation requests, duplicates included',
    ),
    MAX_RESPONSE_VALUES: wholeNumber(1, 1_000_000_000, 100_000).describe(
      'Maximum number of values (fields and list elements) in a response',
    ),
    MAX_RESPONSE_BYTES: wholeNumber(1024, 1_073_741_824, 16_777_216).describe(
      'Maximum size of a response; a larger one is rejected before it is built',
    ),
    MAX_DOCUMENT_CHARACTERS: wholeNumber(1, 104_857_600, 32_768).describe('Maximum length of a document'),
    MAX_TOKENS: wholeNumber(1, 10_000_000, 1000).describe('Maximum number of tokens in a document'),
    MAX_DEPTH: wholeNumber(1, 1000, 12).describe('Maximum depth of fields in an operation'),
    MAX_ROOT_FIELDS: wholeNumber(1, 1_000_000, 50).describe('Maximum number of root fields of an operation'),
    MAX_FIELDS: wholeNumber(1, 10_000_000, 5000).describe(
      'Maximum number of fields of an operation; a fragment counts wherever it is spread',
    ),
    MAX_ALIASES: wholeNumber(0, 1_000_000, 100).describe('Maximum number of aliases, counted likewise'),
    MAX_DIRECTIVES: wholeNumber(0, 1_000_000, 50).describe('Maximum number of directives, counted likewise'),
    MAX_ERRORS: wholeNumber(1, 100_000, 10).describe(
      'Maximum number of errors in a response; `extensions.omittedErrors` counts the rest',
    ),
    DOCUMENT_CACHE_BYTES: wholeNumber(0, 17_179_869_184, 33_554_432).describe(
      'Maximum memory of the cache of parsed documents',
    ),
    COMPILED_BYTES: wholeNumber(0, 17_179_869_184, 33_554_432).describe(
      'Maximum memory of compiled operations; 0: no operation is compiled',
    ),
    COMPILE_PERCENT: wholeNumber(1, 100, 10).describe(
      'Maximum share of its time, in percent, that the gateway spends on compiling operations',
    ),
  },
};

/** Who may send which documents, and read the schema. */
export const access = {
  common: {
    GRAPHIQL: oneOf('on', 'off').describe('GraphiQL at `/graphql`; unset: `on`, in production `off`'),
    INTROSPECTION: oneOf('open', 'key', 'off').describe(
      'Which clients may read the schema: `open`: all, `key`: those with an API key, `off`: none; unset: `open`, in production `key`',
    ),
    TRUSTED_DOCUMENTS: z
      .string()
      .optional()
      .describe('JSON file of documents by id; clients may send an id in place of a document; unset: none'),
    TRUSTED_DOCUMENTS_ONLY: oneOf('on', 'off').describe(
      '`on` rejects every document that is not in `TRUSTED_DOCUMENTS`',
    ),
  },
  advanced: {},
};
