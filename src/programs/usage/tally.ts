import type { Grouping } from './arguments.ts';
import type { LogLine } from './log-reader.ts';

/** An operation of a document, as logs name it, with the coordinates of the fields that it selects. */
type OperationOfDocument = Omit<Extract<LogLine, { event: 'document' }>, 'event'>;

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
  const groups = new Map<string, Count>();
  /** Whether an operation of a document selects the field. */
  const selects = new Map<string, boolean>();
  const pending = new Map<string, Pending>();
  let operations = 0;
  let unknown = 0;
  let skipped = 0;

  function add(group: string, operations: number, calls: number): void {
    const name = groups.has(group) || groups.size < MAX_DISTINCT ? group : '(other)';
    const count = groups.get(name) ?? { operations: 0, calls: 0 };
    groups.set(name, count);
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

  function addDocument({ documentHash, operation, fields }: OperationOfDocument): void {
    const id = idOf(documentHash, operation);
    if (selects.has(id) || selects.size < MAX_DISTINCT) selects.set(id, fields.includes(field));
  }

  return {
    addDocument,

    addLine(line: LogLine): void {
      if (typeof line === 'object' && line.event === 'operation') operations += 1;
      if (line === 'foreign') skipped += 1;
      else if (line === 'other') return;
      else if (line.event === 'document') addDocument(line);
      else if (field === undefined) add(groupOf(line, by), 1, line.calls);
      else if (line.documentHash !== null) {
        const id = idOf(line.documentHash, line.operation);
        const isSelected = selects.get(id);
        if (isSelected) add(groupOf(line, by), 1, line.calls);
        else if (isSelected === undefined) addPending(id, groupOf(line, by), line.isRejected);
      }
    },

    /**
     * The groups, the largest first; `operations`: all that the logs have; `unknown`: the operations whose document is not known, without rejected
     * ones, which may be invalid; `skipped`: the lines that no gateway wrote.
     */
    result() {
      for (const { id, group, rejected, ...one } of pending.values()) {
        const isSelected = selects.get(id);
        if (isSelected) add(group, one.operations, 0);
        else if (isSelected === undefined) unknown += one.operations - rejected;
      }
      pending.clear();
      const main = field === undefined ? 'calls' : 'operations';
      const entries = [...groups].map(([name, count]) => ({ name, ...count }));
      entries.sort((a, b) => b[main] - a[main] || (a.name < b.name ? -1 : 1));
      return { entries, operations, unknown, skipped };
    },
  };
}

function idOf(documentHash: string, operation: string | null): string {
  return `${documentHash} ${operation ?? ''}`;
}

/** The group of an operation, by the names that metrics have for it. */
function groupOf(line: Extract<LogLine, { event: 'operation' }>, by: Grouping): string {
  if (by === 'key') return line.key ?? '(none)';
  if (by === 'client') return line.clientName ?? '(none)';
  return line.operation ?? (line.documentHash === null ? '(none)' : '(anonymous)');
}
