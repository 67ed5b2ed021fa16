import type { Sort } from '../../navigation/sites-address.ts';
import { timeOf } from '../../ui/format.ts';

/** What a row is ordered by. */
export interface OrderedRow {
  isPinned: boolean;
  /** Absent until it is read, and where it is not stated. */
  level?: string | null;
  expiry?: string | null;
}

/**
 * The rows in the order of the table: pinned ones first, and those without a value last, in either direction. The
 * REST API gives service levels no rank, so that their order is that of their names. Equal rows keep their order.
 */
export function inOrder<Row extends OrderedRow>(rows: readonly Row[], sort: Sort | undefined): Row[] {
  return rows.toSorted(
    (a, b) => Number(b.isPinned) - Number(a.isPinned) || (sort ? compareBy(a, b, sort) : 0),
  );
}

function compareBy(a: OrderedRow, b: OrderedRow, { by, isDescending }: Sort): number {
  const [left, right] = [valueIn(a, by), valueIn(b, by)];
  if (left === undefined || right === undefined)
    return Number(left === undefined) - Number(right === undefined);
  const order =
    typeof left === 'string' && typeof right === 'string'
      ? left.localeCompare(right)
      : Number(left) - Number(right);
  return isDescending ? -order : order;
}

function valueIn({ level, expiry }: OrderedRow, by: Sort['by']): string | number | undefined {
  return by === 'level' ? (level ?? undefined) : timeOf(expiry);
}
