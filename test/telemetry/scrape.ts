import parse from 'parse-prometheus-text-format';
import { onTestFinished } from 'vitest';
import { startAdmin } from '../../src/telemetry/admin.ts';
import { createMetrics, type GatewayMetrics } from '../../src/telemetry/metrics.ts';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The metrics of a gateway, read over HTTP as Prometheus does; the port closes with the test. */
export async function startScrape(metrics: GatewayMetrics | undefined, ready = () => 'ok') {
  if (!metrics) throw new Error('ADMIN_PORT is not set.');
  const faults: unknown[] = [];
  const admin = await startAdmin({
    host: '127.0.0.1',
    port: 0,
    registry: metrics.registry,
    ready,
    onFault: (fault) => faults.push(fault),
  });
  onTestFinished(admin.close);
  const text = async () => (await fetch(`${admin.url}/metrics`)).text();
  const samples = async (): Promise<Sample[]> => {
    // The parser drops the labels of a histogram; its series are read as untyped ones.
    const plain = (await text()).replace(/^# TYPE \S+ histogram$/gm, '');
    return parse(plain).flatMap(({ name, metrics }) =>
      metrics.map(({ labels = {}, value }) => ({ name, labels, value: Number(value) })),
    );
  };
  return {
    url: admin.url,
    faults,
    text,
    /** All samples of one scrape. */
    samples,
    /** The samples of one metric, as `label=value,…`. */
    async read(name: string): Promise<Record<string, number>> {
      const found = (await samples()).filter((sample) => sample.name === name);
      return Object.fromEntries(
        found.map(({ labels, value }) => [
          Object.entries(labels)
            .map((pair) => pair.join('='))
            .join(','),
          value,
        ]),
      );
    },
  };
}

/** The metrics of an idle gateway; stopped with the test. */
export function startIdleMetrics() {
  const metrics = createMetrics();
  const stats = () => ({
    connections: 1,
    unreadBytes: 0,
    closedUnread: 0,
    activeOperations: 0,
    fastPathOperations: 0,
    compiled: { operations: 0, bytes: 0 },
    documents: { count: 0, bytes: 0 },
    upstream: {
      isBreakerOpen: false,
      active: 0,
      connections: 128,
      queued: 0,
      rateLimitedKeys: 0,
      inFlightCalls: 0,
    },
    sunsetSeconds: 0,
    drift: new Map(),
    live: {
      ...{ streams: 0, groups: 0, polls: 0, stretchedKeys: 0, keptBytes: 0 },
      ...{ requests: 0, changes: 0, events: 0 },
    },
  });
  metrics.start(stats, { codes: [], driftFields: [] });
  return metrics;
}
