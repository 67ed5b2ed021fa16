import type { ReportedCall } from '../types.ts';

/** A call and its bar, in per cent of the width of the waterfall. */
export interface Bar {
  call: ReportedCall;
  startPercent: number;
  widthPercent: number;
}

export interface Waterfall {
  bars: Bar[];
  /** The end of the last call, since the operation began. */
  totalMs: number;
}

/** Calls in the order of their start, over the time until the last one ends. */
export function waterfallOf(calls: readonly ReportedCall[]): Waterfall {
  const totalMs = Math.max(0, ...calls.map((call) => call.startedMs + call.durationMs));
  const percentOf = (ms: number) => (totalMs > 0 ? (ms / totalMs) * 100 : 0);
  const bars = [...calls]
    .sort((one, two) => one.startedMs - two.startedMs)
    .map((call) => ({
      call,
      startPercent: percentOf(call.startedMs),
      widthPercent: percentOf(call.durationMs),
    }));
  return { bars, totalMs };
}

/** Milliseconds as a person reads them: `0.4 ms`, `12 ms`, `1.20 s`. */
export function durationText(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

/** The sources of calls that were made, or had a response in place of one: the others name why not. */
const sources = ['network', 'coalesced', 'cache', 'stale'];

/** The class of the colour of a source. */
export function styleOf(source: string): string {
  return `portico-${sources.includes(source) ? source : 'not-made'}`;
}

export function countMade(calls: readonly ReportedCall[]): number {
  return calls.filter(({ source }) => sources.includes(source)).length;
}
