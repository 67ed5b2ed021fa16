import { type CoreValues, isProduction } from '../../config/core.ts';
import type { Values } from '../../config/declaration.ts';
import { oneOf, wholeNumber } from '../../config/kinds.ts';

/** Live queries: whether there are any, how often they poll, and what they may take. */
export const liveSettings = {
  LIVE: oneOf('on', 'off').describe(
    'Live queries, `subscription { live { … } }`, which poll the REST API; unset: `on`, in production `off`',
  ),
  LIVE_INTERVAL_S: wholeNumber(1, 3600, 5).describe(
    'Seconds between two polls of a resource where the operation names no interval, and the shortest that it may name',
  ),
  LIVE_CALLS_PER_MINUTE: wholeNumber(1, 1_000_000, 60).describe(
    'Maximum number of polls of one key in a minute, per process: with more resources the interval grows',
  ),
  LIVE_STALE_S: wholeNumber(0, 86_400, 60).describe(
    'Seconds in which polls may fail before the streams that show their data report it as stale',
  ),
  LIVE_MAX_STREAMS: wholeNumber(1, 1_000_000, 2000).describe(
    'Maximum number of open streams per process; one key may have 100, and more as long as as many are free: alone, half of them',
  ),
  LIVE_MAX_BYTES: wholeNumber(131_072, 17_179_869_184, 134_217_728).describe(
    'Maximum memory of the responses, results and documents that live queries keep, per process; half of it for one key',
  ),
};

/** The limits of a key are constants; tests lower them. */
export type LiveSettings = NonNullable<ReturnType<typeof liveConfig>['live']> &
  Partial<Record<'streamsPerKey' | 'maxGroupsPerKey' | 'maxPollsPerKey', number>>;

export function liveConfig(values: Values<typeof liveSettings> & Pick<CoreValues, 'NODE_ENV'>) {
  const isOn = (values.LIVE ?? (isProduction(values) ? 'off' : 'on')) === 'on';
  return {
    /** Null: no live queries. */
    live: isOn
      ? {
          intervalMs: values.LIVE_INTERVAL_S * 1000,
          callsPerMinute: values.LIVE_CALLS_PER_MINUTE,
          staleMs: values.LIVE_STALE_S * 1000,
          maxStreams: values.LIVE_MAX_STREAMS,
          maxBytes: values.LIVE_MAX_BYTES,
        }
      : null,
  };
}
