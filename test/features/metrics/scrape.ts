import parse from 'parse-prometheus-text-format';
import { onTestFinished } from 'vitest';
import { createIdleGateway } from '../../../src/command/check.ts';
import { droppedLines } from '../../../src/features/logs/destination.ts';
import { startAdmin } from '../../../src/features/metrics/admin.ts';
import { createMetrics, type GatewayMetrics } from '../../../src/features/metrics/metrics.ts';
import { createSunset } from '../../../src/features/notices/index.ts';
import { composition } from '../../../src/features.ts';
import { testConfig } from '../../support/gateway.ts';

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

/** The metrics of a gateway that serves nothing. */
export function startIdleMetrics() {
  const metrics = createMetrics();
  const { gauges } = createIdleGateway(testConfig(), composition);
  metrics.start([...gauges, droppedLines, ...(createSunset().gauges ?? [])], []);
  return metrics;
}
