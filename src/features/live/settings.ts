import { type CoreValues, isProduction } from '../../config/core.ts';
import type { Values } from '../../config/declaration.ts';
import { oneOf, wholeNumber } from '../../config/kinds.ts';

/** Live queries: whether there are any, how often they poll, and what they may take. */
export const liveSettings = {
  LIVE: oneOf('on', 'off').describe(
    'Live queries, `subscription { live { … } }`, which poll the REST API; unset: `on`, in production `off`',
  ),
  LIVE_INTERVAL_S: wholeNumber(1, 3600, 5).describe(
    'Seconds between two polls of a resource if the operation names no interval, and the shortest that it may name',
  ),
  LIVE_CALLS_PER_MINUTE: wholeNumber(1, 1_000_000, 60).describe(
    'Maximum number of polls of one key in a minute, per process: with more resources the interval grows',
  ),
  LIVE_MAX_STREAMS: wholeNumber(1, 1_000_000, 2000).describe(
    'Maximum number of open streams per process; a key may open one while more are free than it has: alone, half of them',
  ),
};

/** Limits that are no settings; tests have others. */
const liveLimits = {
  /** Different live queries of one key: a change may execute each of them. */
  maxGroupsPerKey: 100,
  /** Sites and conversations that the streams of one key poll. */
  maxPollsPerKey: 100,
  /** The memory of bodies, results and operations; half of it for one key. */
  maxBytes: 134_217_728,
  /** How long the refresh of data is overdue when it is reported as stale. */
  staleMs: 60_000,
};

export type LiveSettings = NonNullable<ReturnType<typeof liveConfig>['live']>;

export function liveConfig(values: Values<typeof liveSettings> & Pick<CoreValues, 'NODE_ENV'>) {
  const isOn = (values.LIVE ?? (isProduction(values) ? 'off' : 'on')) === 'on';
  return {
    /** Null: no live queries. */
    live: isOn
      ? {
          intervalMs: values.LIVE_INTERVAL_S * 1000,
          callsPerMinute: values.LIVE_CALLS_PER_MINUTE,
          maxStreams: values.LIVE_MAX_STREAMS,
          ...liveLimits,
        }
      : null,
  };
}
