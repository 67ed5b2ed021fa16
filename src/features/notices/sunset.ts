import type { StartObserver } from '../../observers/observer.ts';

const DAY_MS = 86_400_000;

/** Remembers for a day when the REST API ends, as its responses say, for the metrics. */
export const startSunset: StartObserver<unknown> = async () => {
  let end = { seconds: 0, seenAtMs: Number.NEGATIVE_INFINITY };
  const isRecent = () => performance.now() - end.seenAtMs < DAY_MS;
  return {
    onDeprecation({ sunset }) {
      const seconds = Date.parse(sunset ?? '') / 1000;
      if (seconds <= end.seconds || (seconds && !isRecent())) end = { seconds, seenAtMs: performance.now() };
    },
    gauges: [
      {
        name: 'portico_upstream_sunset_timestamp_seconds',
        help: 'When the REST API ends, as a response of the last day said; 0: none did',
        read: () => (isRecent() ? end.seconds : 0),
      },
    ],
  };
};
