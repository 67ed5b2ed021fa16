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

/** How the panel marks the source of a call: a letter, and the class of its colour. */
export interface SourceMark {
  letter: string;
  style: 'network' | 'coalesced' | 'cache' | 'stale' | 'not-made';
}

const marks = new Map<string, SourceMark>([
  ['network', { letter: 'N', style: 'network' }],
  ['coalesced', { letter: 'C', style: 'coalesced' }],
  ['cache', { letter: 'K', style: 'cache' }],
  ['stale', { letter: 'S', style: 'stale' }],
]);

export function markOf(source: string): SourceMark {
  return marks.get(source) ?? { letter: '–', style: 'not-made' };
}

/** How many of the calls were made, or had a response in place of one: the others have a source that names why not. */
export function countMade(calls: readonly ReportedCall[]): number {
  return calls.filter(({ source }) => markOf(source).style !== 'not-made').length;
}

/** The sources of `calls` with their numbers, in the order of their first call. */
export function countSources(calls: readonly ReportedCall[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { source } of calls) counts.set(source, (counts.get(source) ?? 0) + 1);
  return counts;
}
