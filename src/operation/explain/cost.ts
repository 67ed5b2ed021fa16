import type { Cost } from './formula.ts';
import type { Need } from './needs.ts';

export function costOf(needs: readonly Need[], limit: number): Cost {
  const known = needs.filter(({ forEach }) => forEach === undefined);
  return {
    known: known.reduce((count, need) => count + callsOf(need), 0),
    forEach: needs.flatMap((need) =>
      need.forEach === undefined ? [] : [{ list: need.forEach, calls: callsOf(need) }],
    ),
    limit,
  };
}

/** One now, and one for all relations that are deferred: their fields are resolved in one tick, when the site is loaded. */
function callsOf({ later }: Need): number {
  return later.size > 0 ? 2 : 1;
}

/** The most calls that an operation makes while none fails. */
export function mostCalls({ known, forEach, limit }: Cost): number {
  return forEach.length === 0 ? known : Math.max(known, limit);
}
