import type { Gauge } from '../observers/gauges.ts';

/** Counts the values that differ from the contract, by field. `onFirst` gets each field once. */
export function createDriftCount(onFirst: (field: string) => void) {
  const counts = new Map<string, number>();
  const count = (field: string): void => {
    const before = counts.get(field) ?? 0;
    counts.set(field, before + 1);
    if (before === 0) onFirst(field);
  };
  const help = 'Values of REST API responses that differ from the contract, by field';
  const gauge: Gauge = { name: 'portico_drift_total', help, read: () => counts, label: 'field' };
  return { count, gauge };
}
