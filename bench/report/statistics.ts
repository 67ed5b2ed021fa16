import { median, quantile } from 'd3-array';

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
