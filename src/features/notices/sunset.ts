import type { StartObserver } from '../../observers/observer.ts';

const DAY_MS = 86_400_000;

/** Logs at most once a day that the REST API is deprecated, and has the time of its end, for a day, as a metric. */
export const startSunset: StartObserver<unknown> = async (_, logger) => {
  let end = { seconds: 0, seenAtMs: Number.NEGATIVE_INFINITY };
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const isToday = (ms: number) => performance.now() - ms < DAY_MS;
  return {
    onDeprecation(deprecation) {
      const seconds = Date.parse(deprecation.sunset ?? '') / 1000;
      if (seconds <= end.seconds || (seconds && !isToday(end.seenAtMs)))
        end = { seconds, seenAtMs: performance.now() };
      if (isToday(loggedAtMs)) return;
      loggedAtMs = performance.now();
      logger.warn({ event: 'deprecation', ...deprecation }, 'the REST API is deprecated');
    },
    gauges: [
      {
        name: 'portico_upstream_sunset_timestamp_seconds',
        help: 'When the REST API ends, as a response of the last day said; 0: none did',
        read: () => (isToday(end.seenAtMs) ? end.seconds : 0),
      },
    ],
  };
};
