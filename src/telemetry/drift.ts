/** Counts the REST API responses that differ from the contract, by field. */
export interface DriftCounter {
  /** Counts a difference at `field`, such as `Client.emails`. The first one at each field is logged. */
  count(field: string): void;
  counts(): ReadonlyMap<string, number>;
}

export function createDriftCounter(log: (line: string) => void): DriftCounter {
  const counts = new Map<string, number>();
  return {
    count(field) {
      const before = counts.get(field) ?? 0;
      counts.set(field, before + 1);
      if (before === 0) log(`a REST API response differs from the contract at ${field}`);
    },
    counts: () => counts,
  };
}
