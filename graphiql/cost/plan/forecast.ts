import { type CallsPerMinute, callsPerMinute, roundsPerMinute } from '../../../src/features/explain/cost.ts';
import type { Plan } from '../types.ts';

/** How many viewers look at an operation, and how often each of them sends it. */
export interface Viewing {
  viewers: number;
  everyMs: number;
}

/** The values that the fields of a forecast accept. */
export const secondsRange = { min: 0.5, max: 86_400 };
export const viewersRange = { min: 1, max: 100_000 };

/** How long a REST call takes, as `portico plan` has it. */
const LATENCY_MS = 200;

/** The REST calls of a minute, as `portico plan --viewers` forecasts them. */
export interface Forecast {
  /** Each viewer calls the REST API itself. */
  alone: CallsPerMinute;
  /** Each viewer sends the query to one gateway. */
  gateway: CallsPerMinute;
  /** The polls that all viewers share; undefined for an operation that is not live. */
  live: CallsPerMinute | undefined;
}

/** Undefined unless both texts are numbers that their fields accept. */
export function viewingFrom(secondsText: string, viewersText: string): Viewing | undefined {
  const everyMs = numberIn(secondsText, secondsRange) * 1000;
  const count = numberIn(viewersText, viewersRange);
  return everyMs > 0 && Number.isInteger(count) ? { viewers: count, everyMs } : undefined;
}

/** NaN for what is no number from `min` to `max`. */
export function numberIn(text: string, { min, max }: typeof secondsRange): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return number >= min && number <= max ? number : Number.NaN;
}

export function forecastOf(
  { cost, live }: Pick<Plan, 'cost' | 'live'>,
  { viewers, everyMs }: Viewing,
  latencyMs = LATENCY_MS,
): Forecast {
  const { alone, coalesced } = roundsPerMinute(viewers, everyMs, latencyMs);
  return {
    alone: callsPerMinute(cost, alone),
    gateway: callsPerMinute(cost, coalesced),
    live: live && {
      known: Math.min(live.callsPerMinute, live.limitPerMinute),
      atMost: Math.min(live.atMostPerMinute, live.limitPerMinute),
    },
  };
}

const grouped = new Intl.NumberFormat('en');

/** `80 (at most 4,000)`, or one number if the data decides nothing. */
export function callsText({ known, atMost }: CallsPerMinute): string {
  const most = atMost > known ? ` (at most ${grouped.format(atMost)})` : '';
  return `${grouped.format(known)}${most}`;
}
