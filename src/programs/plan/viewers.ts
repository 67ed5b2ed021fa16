import { isName } from '../../operation/request.ts';
import { durationMsFrom, isPositive } from './arguments.ts';
import { readText } from './documents.ts';

/** How many clients show an operation, and how often each of them sends it. */
export interface Viewing {
  viewers: number;
  everyMs: number;
}

/**
 * Reads who views which operation from lines like `Dashboard 5s 200`. Returns the reason if it cannot, which
 * repeats nothing of the file but names.
 */
export async function readViewers(file: string): Promise<ReadonlyMap<string, Viewing> | string> {
  const text = await readText(file).catch(() => undefined);
  if (text === undefined) return 'the file cannot be read';
  const found = new Map<string, Viewing>();
  for (const [index, line] of text.split('\n').entries()) {
    const [operation = '', every, viewers = '', ...more] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (operation === '') continue;
    const everyMs = durationMsFrom(every);
    const place = `line ${index + 1}`;
    if (!isName(operation) || everyMs === undefined || !isPositive(viewers) || more.length > 0)
      return `${place} needs an operation, an interval and a number of viewers: Dashboard 5s 200`;
    if (found.has(operation)) return `${place} repeats ${operation}: name each operation once`;
    found.set(operation, { viewers: Number(viewers), everyMs });
  }
  return found;
}
