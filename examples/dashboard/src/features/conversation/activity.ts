import type { ThreadMessageFragment } from '../../generated/graphql.ts';
import { timeOf } from '../../ui/format.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The lengths of time that a bar may stand for. */
const steps = [
  { ms: 10 * MINUTE_MS, name: '10 minutes' },
  { ms: HOUR_MS, name: 'hour' },
  { ms: 6 * HOUR_MS, name: '6 hours' },
  { ms: DAY_MS, name: 'day' },
  { ms: 7 * DAY_MS, name: 'week' },
  { ms: 30 * DAY_MS, name: '30 days' },
  { ms: 365 * DAY_MS, name: 'year' },
] as const;
const MAX_BARS = 80;

/** Messages of a stretch of time, by who wrote them. */
export interface Bar {
  start: number;
  requester: number;
  others: number;
  internal: number;
}

export interface Activity {
  bars: Bar[];
  /** What a bar stands for: hour. */
  step: string;
  spanSeconds: number;
  /** Seconds from the first message to the first public one of another role. */
  firstReplySeconds: number | undefined;
}

/** When a conversation was active; undefined where fewer than two messages have a readable time. */
export function activityOf(messages: readonly ThreadMessageFragment[]): Activity | undefined {
  const timed = messages
    .flatMap((message) => {
      const time = timeOf(message.createdAt);
      return time === undefined ? [] : [{ message, time }];
    })
    .sort((a, b) => a.time - b.time);
  const [first, last] = [timed[0], timed.at(-1)];
  if (!first || !last || timed.length < 2) return undefined;

  const span = last.time - first.time;
  const { ms, name } = steps.find((step) => span / step.ms < MAX_BARS) ?? steps[steps.length - 1] ?? steps[6];
  const begin = Math.floor(first.time / ms) * ms;
  const bars = Array.from({ length: Math.floor((last.time - begin) / ms) + 1 }, (_, index) => ({
    start: begin + index * ms,
    requester: 0,
    others: 0,
    internal: 0,
  }));
  for (const { message, time } of timed) {
    const bar = bars[Math.floor((time - begin) / ms)];
    if (!bar) continue;
    if (message.isInternal) bar.internal += 1;
    else if (message.role === first.message.role) bar.requester += 1;
    else bar.others += 1;
  }
  const reply = timed.find(
    ({ message }) => message.isInternal === false && message.role !== first.message.role,
  );
  return {
    bars,
    step: name,
    spanSeconds: span / 1000,
    firstReplySeconds: reply && (reply.time - first.time) / 1000,
  };
}
