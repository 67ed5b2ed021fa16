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
    MAX_RESPONSE_BYTES: wholeNumber(1024, 1_073_741_824, 16_777_216).describe(
      'Maximum size of a response; a larger one is rejected before it is built',
    ),
    MAX_DEPTH: wholeNumber(1, 1000, 12).describe('Maximum depth of fields in an operation'),
    COMPILED_BYTES: wholeNumber(0, 17_179_869_184, 33_554_432).describe(
      'Maximum memory of compiled operations; 0: no operation is compiled',
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
