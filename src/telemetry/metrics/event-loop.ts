import { monitorEventLoopDelay } from 'node:perf_hooks';

const NANOSECONDS = 1e9;
const SAMPLE_EVERY_MS = 20;
const WINDOW_MS = 60_000;

/** The delays of the event loop over the last one to two windows, in seconds. Reading them changes nothing. */
export interface EventLoopDelay {
  percentile(percent: number): number;
  max(): number;
  /** Starts the next window, and discards the one before the present one. */
  advance(): void;
  stop(): void;
}

/**
 * Measures the event loop delay. Two histograms take the same samples and are reset alternately, one at the end of each
 * window; readers get the one with the longer history. So a read changes nothing for other readers.
 */
export function startEventLoopDelay(windowMs = WINDOW_MS): EventLoopDelay {
  const start = () => {
    const histogram = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
    histogram.enable();
    return histogram;
  };
  let [older, newer] = [start(), start()];
  const advance = () => {
    older.reset();
    [older, newer] = [newer, older];
  };
  const timer = setInterval(advance, windowMs).unref();
  // A sample includes the sampling interval. An empty histogram returns NaN or 0.
  const seconds = (nanoseconds: number) =>
    Math.max(0, nanoseconds / NANOSECONDS - SAMPLE_EVERY_MS / 1000) || 0;
  return {
    percentile: (percent) => seconds(older.percentile(percent)),
    max: () => seconds(older.max),
    advance,
    stop() {
      clearInterval(timer);
      older.disable();
      newer.disable();
    },
  };
}
