import { AggregatorRegistry } from 'prom-client';

/** What one process tells of itself; nothing where it does not answer. */
interface Told {
  id: number | undefined;
  metrics: object | undefined;
}

/**
 * The metrics of several processes as those of one. Of a process that does not answer those hold that it told last, and of
 * one that is gone what it had counted: a sum that falls would be taken for a new beginning.
 */
export function createSum(readAll: () => Promise<readonly Told[]>) {
  const latest = new Map<number | undefined, object>();
  let past: object[] = [];

  async function metrics(): Promise<string> {
    const told = await readAll();
    for (const { id, metrics } of told) if (metrics) latest.set(id, metrics);
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

/** How a process stands goes with it; what it has counted does not. */
function countsIn(metrics: object): object[] {
  return (metrics as { type: string }[]).filter(({ type }) => type === 'counter' || type === 'histogram');
}
