import type { Grouping } from './arguments.ts';
import type { OperationLine } from './log-reader.ts';

interface Count {
  operations: number;
  /** The REST calls that were sent. */
  calls: number;
}

/** Operations of one group whose document is not known yet. */
interface Pending {
  id: string;
  group: string;
  operations: number;
  rejected: number;
}

/** Most groups and most documents that are distinguished, so that any log takes a bounded amount of memory. */
const MAX_DISTINCT = 100_000;

/**
 * Counts the operations of logs and their REST calls by `by`; with a `field`, only the operations that select
 * it. Lines may come in any order.
 */
export function createTally(by: Grouping, field: string | undefined) {
  const counts = new Map<string, Count>();
  /** Whether an operation of a document selects the field. */
  const selects = new Map<string, boolean>();
  const pending = new Map<string, Pending>();
  let operations = 0;
  let unknown = 0;

  function add(group: string, operations: number, calls: number): void {
    const name = counts.has(group) || counts.size < MAX_DISTINCT ? group : '(other)';
    const count = counts.get(name) ?? { operations: 0, calls: 0 };
    counts.set(name, count);
    count.operations += operations;
    count.calls += calls;
  }

  function addPending(id: string, group: string, isRejected: boolean): void {
    const name = `${id} ${group}`;
    const one = pending.get(name) ?? { id, group, operations: 0, rejected: 0 };
    if (pending.size < MAX_DISTINCT) pending.set(name, one);
    else if (!pending.has(name) && !isRejected) unknown += 1;
    one.operations += 1;
    if (isRejected) one.rejected += 1;
  }

  return {
    /** `fields`: the coordinates of those that an operation of a document selects. */
    onDocument(id: string, fields: readonly unknown[]): void {
      if (selects.has(id) || selects.size < MAX_DISTINCT) selects.set(id, fields.includes(field));
    },

    onOperation({ id, groups: { [by]: group }, isRejected, calls }: OperationLine): void {
      operations += 1;
      const isSelected = field === undefined || (id !== null && selects.get(id));
      if (isSelected) add(group, 1, calls);
      else if (isSelected === undefined && id !== null) addPending(id, group, isRejected);
    },

    /**
     * The groups, the largest first; `operations`: all that the logs have; `unknown`: the operations whose
     * document is not known, without rejected ones, which may be invalid.
     */
    result() {
      for (const { id, group, rejected, ...one } of pending.values()) {
        const isSelected = selects.get(id);
        if (isSelected) add(group, one.operations, 0);
        else if (isSelected === undefined) unknown += one.operations - rejected;
      }
      const main = field === undefined ? 'calls' : 'operations';
      const entries = [...counts].map(([name, count]) => ({ name, ...count }));
      entries.sort((a, b) => b[main] - a[main] || (a.name < b.name ? -1 : 1));
      return { entries, operations, unknown };
    },
  };
}
