import { z } from 'zod';
import { isName } from '../../operation/request.ts';
import { parse } from '../../upstream/json.ts';
import { durationMsFrom, isPositive } from './arguments.ts';
import { readText } from './documents.ts';

/** How many clients show an operation, and how often each of them sends it. */
export interface Viewing {
  viewers: number;
  everyMs: number;
}

const row = z.object({
  operation: z.string().refine(isName),
  every: z.string().transform(durationMsFrom).pipe(z.number()),
  viewers: z.coerce.string().refine(isPositive).transform(Number),
});

/**
 * Reads who views which operation: a list in JSON, or lines like `Dashboard 5s 200`. Returns the reason if it
 * cannot, which repeats nothing of the file but names.
 */
export async function readViewers(file: string): Promise<ReadonlyMap<string, Viewing> | string> {
  const text = await readText(file).catch(() => undefined);
  if (text === undefined) return 'the file cannot be read';
  const json = parse(text);
  const rows: unknown[] = Array.isArray(json) ? json : text.split('\n').map(rowFrom);
  const found = new Map<string, Viewing>();
  for (const [index, value] of rows.entries()) {
    if (value === null) continue;
    const { data } = row.safeParse(value);
    const place = `${Array.isArray(json) ? 'element' : 'line'} ${index + 1}`;
    if (!data) return `${place} needs an operation, an interval and a number of viewers: Dashboard 5s 200`;
    if (found.has(data.operation)) return `${place} repeats ${data.operation}: name each operation once`;
    found.set(data.operation, { viewers: data.viewers, everyMs: data.every });
  }
  return found;
}

/** Null for a line with nothing but a comment. */
function rowFrom(line: string) {
  const [operation, every, ...viewers] = line.replace(/#.*/, '').trim().split(/\s+/);
  return operation === '' ? null : { operation, every, viewers: viewers.join(' ') };
}
