import type { Grouping } from './arguments.ts';

/** The operations of one group with one document: null where there is none. */
interface Count {
  id: string | null;
  group: string;
  operations: number;
  rejected: number;
  /** The REST calls that were sent. */
  calls: number;
}

/** Most groups and most documents that are distinguished, so that any log takes a bounded amount of memory. */
const MAX_DISTINCT = 100_000;

/**
 * Counts the operations of logs and their REST calls by `by`; with a `field`, only the operations that select
 * it. Records may come in any order.
 */
export function createTally(by: Grouping, field: string | undefined) {
  const counts = new Map<string, Count>();
  /** Whether an operation of a document selects the field. */
  const selects = new Map<string, boolean>();

  function onOperation(documentId: string | null, record: Record<string, unknown>): void {
    const own = { id: documentId, group: groupOf(by, record, documentId !== null) };
    const isNew = !counts.has(`${own.id} ${own.group}`);
    const { id, group } = isNew && counts.size >= MAX_DISTINCT ? { id: '', group: '(other)' } : own;
    const name = `${id} ${group}`;
    const count = counts.get(name) ?? { id, group, operations: 0, rejected: 0, calls: 0 };
    counts.set(name, count);
    count.operations += 1;
    if (record.outcome === 'rejected') count.rejected += 1;
    count.calls += callsOf(record);
  }

  return {
    /** `fields`: the coordinates of those that an operation of a document selects. */
    onDocument(id: string, fields: readonly unknown[]): void {
      if (selects.size < MAX_DISTINCT) selects.set(id, fields.includes(field));
    },

    /** Takes a record of a log. Plans count as nothing, and other records than these neither. */
    onRecord(record: Record<string, unknown>): void {
      const hash = labelFrom(record.document);
      // Without a field the documents make no difference.
      const id = hash === null ? null : field === undefined ? '' : idOf(hash, labelFrom(record.operation));
      if (record.event === 'document' && id && Array.isArray(record.fields))
        this.onDocument(id, record.fields);
      if (record.event === 'operation' && record.plan !== true) onOperation(id, record);
    },

    /**
     * The groups, the largest first; `operations`: all that the logs have; `unknown`: the operations whose
     * document is not known, without rejected ones, which may be invalid.
     */
    result() {
      const groups = new Map<string, { operations: number; calls: number }>();
      let [operations, unknown] = [0, 0];
      for (const { id, group, rejected, ...one } of counts.values()) {
        operations += one.operations;
        const isSelected = field === undefined || (id === null ? false : selects.get(id));
        if (isSelected === undefined) unknown += one.operations - rejected;
        if (!isSelected) continue;
        const sum = groups.get(group) ?? { operations: 0, calls: 0 };
        groups.set(group, {
          operations: sum.operations + one.operations,
          calls: sum.calls + one.calls,
        });
      }
      const main = field === undefined ? 'calls' : 'operations';
      const entries = [...groups].map(([name, count]) => ({ name, ...count }));
      entries.sort((a, b) => b[main] - a[main] || (a.name < b.name ? -1 : 1));
      return { entries, operations, unknown };
    },
  };
}

/** An operation of a document, as logs name it. */
export function idOf(documentHash: string, operation: string | null): string {
  return `${documentHash} ${operation ?? ''}`;
}

/** The names that metrics have for groups. */
function groupOf(
  by: Grouping,
  { operation, clientName, key }: Record<string, unknown>,
  hasDocument: boolean,
) {
  if (by === 'client') return labelFrom(clientName) ?? '(none)';
  if (by === 'key') return labelFrom(key) ?? '(none)';
  return labelFrom(operation) ?? (hasDocument ? '(anonymous)' : '(none)');
}

/** What the gateway writes for a name or a digest. Other texts could be long, or control a terminal. */
const LABEL = /^[ -~]{1,64}…?$/;

function labelFrom(value: unknown): string | null {
  return typeof value === 'string' && LABEL.test(value) ? value : null;
}

function callsOf({ upstream }: Record<string, unknown>): number {
  const { network } = (upstream ?? {}) as { network?: unknown };
  return typeof network === 'number' && Number.isSafeInteger(network) && network > 0 ? network : 0;
}
