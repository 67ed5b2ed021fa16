import { AggregatorRegistry } from 'prom-client';

/** The metrics of several processes as those of one. `readAll` brings the metrics of each, as their registries tell them. */
export function metricsOfAll(readAll: () => Promise<object[]>) {
  return {
    contentType: AggregatorRegistry.PROMETHEUS_CONTENT_TYPE,
    metrics: async () => AggregatorRegistry.aggregate(await readAll()).metrics(),
  };
}
