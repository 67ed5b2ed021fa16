import { oneOf, wholeNumber } from './kinds.ts';

/** Live queries: whether there are any, how often they poll, and what they may take. */
export const live = {
  common: {
    LIVE: oneOf('on', 'off').describe(
      'Live queries, `subscription { live { … } }`, which poll the REST API; unset: `off`',
    ),
    LIVE_INTERVAL_S: wholeNumber(1, 3600, 5).describe(
      'Seconds between two polls of a resource where the operation names no interval, and the shortest that it may name',
    ),
    LIVE_CALLS_PER_MINUTE: wholeNumber(1, 1_000_000, 60).describe(
      'Maximum number of polls of one key in a minute: with more resources the interval grows',
    ),
  },
  advanced: {
    LIVE_STALE_S: wholeNumber(0, 86_400, 60).describe(
      'Seconds in which polls may fail before the streams that show their data report it as stale',
    ),
    LIVE_MAX_STREAMS: wholeNumber(1, 1_000_000, 1000).describe('Maximum number of open streams'),
    LIVE_MAX_BYTES: wholeNumber(131_072, 17_179_869_184, 134_217_728).describe(
      'Maximum memory of the responses, results and documents that live queries keep; half of it for one key',
    ),
  },
};
