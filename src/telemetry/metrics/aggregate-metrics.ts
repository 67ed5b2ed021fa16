import { AggregatorRegistry } from 'prom-client';
import { createLabelLimit } from '../operation-names.ts';

/** The metrics of one worker; undefined where it does not respond. */
interface WorkerMetrics {
  id: number | undefined;
  metrics: object | undefined;
}

/**
 * Sums the metrics of several workers. A worker that does not respond keeps its last snapshot; the counters of an exited
 * worker are kept, because Prometheus reads a drop as a reset. Operations beyond the first `maxOperations` are counted as
 * `(other)`, because each new worker could add names of its own.
 */
export function createAggregateMetrics(
  readAll: () => Promise<readonly WorkerMetrics[]>,
  maxOperations?: number,
) {
  const labelOf = createLabelLimit(maxOperations);
  const latest = new Map<number | undefined, Metric[]>();
  let exited: object[] = [];

  async function metrics(): Promise<string> {
    const workers = await readAll();
    for (const { id, metrics } of workers) {
      if (metrics) latest.set(id, limitLabels(metrics as Metric[], labelOf));
    }
    for (const id of [...latest.keys()]) {
      if (workers.some((worker) => worker.id === id)) continue;
      exited.push(countersOf(latest.get(id) ?? []));
      latest.delete(id);
    }
    if (exited.length > 1) exited = [await AggregatorRegistry.aggregate(exited).getMetricsAsJSON()];
    return AggregatorRegistry.aggregate([...exited, ...latest.values()]).metrics();
  }

  return { contentType: AggregatorRegistry.PROMETHEUS_CONTENT_TYPE, metrics };
}

/** The part of a metric's JSON that is read here. */
interface Metric {
  type: string;
  values: { labels: Record<string, string | number> }[];
}

function limitLabels(metrics: Metric[], labelOf: (label: string) => string): Metric[] {
  for (const { values } of metrics) {
    for (const { labels } of values) {
      if (labels.operation !== undefined) labels.operation = labelOf(String(labels.operation));
    }
  }
  return metrics;
}

/** Counters and histograms. The gauges of an exited worker end with it. */
function countersOf(metrics: Metric[]): Metric[] {
  return metrics.filter(({ type }) => type === 'counter' || type === 'histogram');
}
