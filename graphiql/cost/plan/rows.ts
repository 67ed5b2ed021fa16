import type { PlannedCall } from '../types.ts';

/** A row of the plan: one call, or calls that differ by their ids alone. */
export interface PlanRow extends PlannedCall {
  times: number;
}

/** Fewer calls are listed one by one, so that their ids are read. */
const MIN_JOINED = 4;

/** The rows of a plan: calls for the same fields with the same relations are one row, without their ids. */
export function rowsOf(calls: readonly PlannedCall[]): PlanRow[] {
  const rows = new Map<string, PlanRow[]>();
  for (const call of calls) {
    const key = JSON.stringify([templateOf(call.path), call.fields, call.forEach]);
    rows.set(key, [...(rows.get(key) ?? []), { ...call, times: 1 }]);
  }
  return [...rows.values()].flatMap((equal) => {
    const [first] = equal as [PlanRow];
    const joined = { ...first, path: templateOf(first.path), times: equal.length };
    return equal.length < MIN_JOINED ? equal : [joined];
  });
}

function templateOf(path: string): string {
  return path.replace(/^(\/v1\/\w+\/)[^/?]+/, '$1{id}');
}
