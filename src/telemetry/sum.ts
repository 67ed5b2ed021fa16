import { AggregatorRegistry } from 'prom-client';
import { createLabelLimit } from './names.ts';

/** What one process tells of itself; nothing where it does not answer. */
interface Told {
  id: number | undefined;
  metrics: object | undefined;
}

/**
 * The metrics of several processes as those of one. Of a process that does not answer those hold that it told last, and of
 * one that is gone what it had counted: a sum that falls would be taken for a new beginning. Operations beyond the first
 * `maxOperations` are counted as `(other)`: each new process could bring names of its own.
 */
export function createSum(readAll: () => Promise<readonly Told[]>, maxOperations?: number) {
  const labelOf = createLabelLimit(maxOperations);
  const latest = new Map<number | undefined, Metric[]>();
  let past: object[] = [];

  async function metrics(): Promise<string> {
    const told = await readAll();
    for (const { id, metrics } of told) if (metrics) latest.set(id, bounded(metrics as Metric[], labelOf));
    const gone = [...latest.keys()].filter((id) => !told.some((one) => one.id === id));
    for (const id of gone) {
      past.push(countsIn(latest.get(id) ?? []));
      latest.delete(id);
    }
    if (past.length > 1) past = [await AggregatorRegistry.aggregate(past).getMetricsAsJSON()];
    return AggregatorRegistry.aggregate([...past, ...latest.values()]).metrics();
  }

  return { contentType: AggregatorRegistry.PROMETHEUS_CONTENT_TYPE, metrics };
}

/** What is read here of a metric, as a registry writes it in JSON. */
interface Metric {
  type: string;
  values: { labels: Record<string, string | number> }[];
}

/** The same metrics with no other operations than those that `labelOf` keeps. */
function bounded(metrics: Metric[], labelOf: (label: string) => string): Metric[] {
  for (const { values } of metrics) {
    for (const { labels } of values) {
      if (labels.operation !== undefined) labels.operation = labelOf(String(labels.operation));
    }
  }
  return metrics;
}

/** How a process stands goes with it; what it has counted does not. */
function countsIn(metrics: Metric[]): Metric[] {
  return metrics.filter(({ type }) => type === 'counter' || type === 'histogram');
}
