import type { WorkloadId } from '../workloads/workloads.ts';
import type { Results } from './results.ts';

/** The median of several measurements, and their first and third quartile. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

/** The spread of the numbers; undefined if there are none. */
export function spreadOf(numbers: readonly number[] = []): Spread | undefined {
  if (numbers.length === 0) return undefined;
  const sorted = Float64Array.from(numbers).sort();
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** The value below which that share of the sorted numbers is, interpolated. */
export function quantile(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at % 1);
}

/** `12.3 (11.9–13.0)`; a dash for an unknown one. */
export function textOf(spread: Spread | undefined, digits: number): string {
  if (!spread) return '–';
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const [middle, low, high] = [spread.median, spread.low, spread.high].map((number) =>
    number.toLocaleString('en-US', format),
  );
  return low === high ? `${middle}` : `${middle} (${low}–${high})`;
}

/**
 * CPU per operation of one contender, divided by that of another: one ratio for each cycle, of the two turns in it. The
 * machine's speed in that cycle cancels.
 */
export function cpuRatio(
  { series }: Pick<Results, 'series'>,
  workload: WorkloadId,
  contender: string,
  baseline: string,
): Spread | undefined {
  const cpuOf = (id: string) =>
    series.find((one) => one.workload === workload && one.contender === id)?.cpuUs ?? [];
  const others = cpuOf(baseline);
  return spreadOf(cpuOf(contender).flatMap((us, cycle) => us / (others[cycle] ?? Number.NaN) || []));
}
