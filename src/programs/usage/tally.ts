/** The keys by which the operations of logs are grouped. */
export const groupings = ['key', 'client', 'operation'] as const;
export type Grouping = (typeof groupings)[number];

export type Tally = ReturnType<typeof createTally>;
type LogRecord = Record<string, unknown>;

/**
 * Counts the operations of logs and their REST calls by `by`; with a `field`, only the operations that select
 * it. Records may come in any order.
 */
export function createTally(by: Grouping, field: string | undefined) {
  /** The operations of one group with one document; `id` is null without a document. */
  const counts = new Map<string, { id: string | null; name: string; calls: number; operations: number }>();
  /** By the id of an operation: true if it selects the field. */
  const selects = new Map<string, boolean>();

  return {
    selects,

    onRecord(record: LogRecord): void {
      const { event, document, operation, fields, upstream, plan, outcome } = record;
      const id = typeof document === 'string' ? idOf(document, operation) : null;
      if (event === 'document' && id && Array.isArray(fields)) selects.set(id, fields.includes(field));
      if (event !== 'operation' || plan === true) return;
      // Its document may be invalid.
      if (field !== undefined && outcome === 'rejected') return;
      const name = groupOf(by, record);
      const count = counts.get(`${id} ${name}`) ?? { id, name, calls: 0, operations: 0 };
      counts.set(`${id} ${name}`, count);
      count.operations += 1;
      count.calls += Number(Object(upstream).network ?? 0);
    },

    /** The groups, the largest first, and the number of operations whose fields are not known. */
    result() {
      const groups = new Map<string, { name: string; calls: number; operations: number }>();
      let unknown = 0;
      for (const { id, name, calls, operations } of counts.values()) {
        const isSelected = field === undefined || (id !== null && selects.get(id));
        if (isSelected === undefined) unknown += operations;
        if (!isSelected) continue;
        const sum = groups.get(name) ?? { name, calls: 0, operations: 0 };
        groups.set(name, { name, calls: sum.calls + calls, operations: sum.operations + operations });
      }
      const main = field === undefined ? 'calls' : 'operations';
      const entries = [...groups.values()].sort((a, b) => b[main] - a[main] || (a.name < b.name ? -1 : 1));
      return { entries, unknown };
    },
  };
}

/** Identifies an operation of a document. */
export function idOf(documentHash: string, operation: unknown): string {
  return `${documentHash} ${operation ?? ''}`;
}

/** The names that metrics have for groups. */
function groupOf(by: Grouping, { operation, clientName, key, document }: LogRecord): string {
  if (by === 'client') return String(clientName ?? '(none)');
  if (by === 'key') return String(key ?? '(none)');
  return String(operation ?? (document ? '(anonymous)' : '(none)'));
}
