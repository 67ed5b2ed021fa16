import { expect, it, onTestFinished } from 'vitest';
import { startEventLoopDelay } from '../../src/telemetry/metrics/event-loop.ts';
import { startIdleMetrics, startScrape } from './scrape.ts';

const stallMs = 300;
/** Less than a stall, and more than any delay of an idle event loop. */
const noticeable = stallMs / 2000;

/** Blocks the event loop until `longest` shows it: sampling does not start at once. */
async function stall(longest: () => Promise<number>): Promise<void> {
  do {
    const untilMs = performance.now() + stallMs;
    while (performance.now() < untilMs);
  } while ((await longest()) < noticeable);
}

it('shows a stall to a second reader after the first', async () => {
  const metrics = startIdleMetrics();
  const [first, second] = [await startScrape(metrics), await startScrape(metrics)];
  const longestOf = async ({ read }: typeof first) =>
    Number((await read('nodejs_eventloop_lag_max_seconds'))['']);
  await stall(() => longestOf(first));
  expect(await longestOf(second)).toBeGreaterThan(noticeable);
});

it('shows a stall until the window after its own ends', async () => {
  const { max, percentile, advance, stop } = startEventLoopDelay();
  onTestFinished(stop);
  expect([max(), percentile(50)]).toEqual([0, 0]);
  await stall(() => new Promise((resolve) => setTimeout(() => resolve(max()), 1)));
  advance();
  expect(max()).toBeGreaterThan(noticeable);
  expect(percentile(100)).toBeGreaterThan(noticeable);
  advance();
  expect([max(), percentile(100)]).toEqual([0, 0]);
});
