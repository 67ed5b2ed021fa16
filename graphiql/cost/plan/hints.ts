import { lastName } from '../../../src/features/explain/cost.ts';
import type { PlannedCall } from '../types.ts';
import { countOf } from './counts.ts';

/** The cost to show beside each field that causes calls, by the path of the field. */
export function hintsFrom(calls: readonly PlannedCall[]): Map<string, string> {
  const costs = new Map<string, { known: number; lists: Map<string, number> }>();
  for (const { fields, forEach } of calls) {
    // The others share this call.
    const [field] = fields;
    if (field === undefined) continue;
    const cost = costs.get(field) ?? { known: 0, lists: new Map() };
    costs.set(field, cost);
    if (forEach) cost.lists.set(forEach, (cost.lists.get(forEach) ?? 0) + 1);
    else cost.known += 1;
  }
  return new Map([...costs].map(([field, { known, lists }]) => [field, textOf(known, lists)]));
}

function textOf(known: number, lists: ReadonlyMap<string, number>): string {
  const terms = [...lists].map(([list, calls]) => `${countOf(calls)} × ${lastName(list)}`);
  return (known > 0 ? [countOf(known), ...terms] : terms).join(' + ');
}
