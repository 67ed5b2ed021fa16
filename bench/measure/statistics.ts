import { median, quantile } from 'd3-array';
import type { WorkloadId } from '../workloads/workloads.ts';
import type { Results, Turn } from './results.ts';

/** The median of several measurements, and their first and third quartile. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

/** The spread of the known numbers; undefined if there are none. */
export function spreadOf(numbers: Iterable<number | null | undefined>): Spread | undefined {
  const known = [...numbers].filter((number): number is number => Number.isFinite(number));
  const [middle, low, high] = [median(known), quantile(known, 0.25), quantile(known, 0.75)];
  if (middle === undefined || low === undefined || high === undefined) return undefined;
  return { median: middle, low, high };
}

/** `12.3 (11.9–13.0)`; a dash for what is not known. */
export function textOf(spread: Spread | undefined, digits: number): string {
  if (!spread) return '–';
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const [middle, low, high] = [spread.median, spread.low, spread.high].map((number) =>
    number.toLocaleString('en-US', format),
  );
  return low === high ? `${middle}` : `${middle} (${low}–${high})`;
}

/** The turns of one contender in one workload. */
export function turnsOf(turns: readonly Turn[], workload: WorkloadId, contender: string): Turn[] {
  return turns.filter((turn) => turn.workload === workload && turn.contender === contender);
}

/**
 * CPU per operation of one contender, divided by that of another: one ratio for each cycle, of the two turns in it. The
 * machine's speed in that cycle cancels.
 */
export function cpuRatio(
  { turns }: Pick<Results, 'turns'>,
  workload: WorkloadId,
  contender: string,
  baseline: string,
): Spread | undefined {
  const others = turnsOf(turns, workload, baseline);
  const ratios = turnsOf(turns, workload, contender).map(({ cycle, cpuUs }) => {
    const other = others.find((turn) => turn.cycle === cycle)?.cpuUs;
    return cpuUs && other ? cpuUs / other : undefined;
  });
  return spreadOf(ratios);
}
