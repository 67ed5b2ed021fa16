import { max, median, min } from 'd3-array';

/** What became of something in each round: the one in the middle, and the farthest to either side. */
export interface Spread {
  median: number;
  least: number;
  most: number;
}

/** The spread of what is known; nothing where nothing is. */
export function spreadOf(numbers: Iterable<number | null | undefined>): Spread | undefined {
  const known = [...numbers].filter((number): number is number => Number.isFinite(number));
  const [middle, least, most] = [median(known), min(known), max(known)];
  if (middle === undefined || least === undefined || most === undefined) return undefined;
  return { median: middle, least, most };
}

/** `12.3 (11.9–13.0)`; a dash for what is not known. */
export function textOf(spread: Spread | undefined, digits: number): string {
  if (!spread) return '–';
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const [middle, least, most] = [spread.median, spread.least, spread.most].map((number) =>
    number.toLocaleString('en-US', format),
  );
  return least === most ? `${middle}` : `${middle} (${least}–${most})`;
}
