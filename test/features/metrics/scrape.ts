import { createIdleGateway } from '../../../src/command/check.ts';
import { createMetrics } from '../../../src/features/metrics/metrics.ts';
import { composition } from '../../../src/features.ts';
import { noLogger } from '../../../src/observers/logger.ts';
import { testConfig } from '../../support/gateway.ts';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The samples of Prometheus' text format. */
function samplesIn(text: string): Sample[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', list = '', value]) => {
    const labels = [...list.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [
      label,
      text,
    ]);
    return { name, labels: Object.fromEntries(labels), value: Number(value?.replace('Inf', 'Infinity')) };
  });
}

/** The metrics of a gateway with ADMIN_PORT, read over HTTP as Prometheus does. */
export function startScrape({ written }: { written: readonly string[] }) {
  const url = written.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'metrics')?.url;
  const text = async () => (await fetch(url)).text();
  const samples = async (): Promise<Sample[]> => samplesIn(await text());
  return {
    url: String(url),
    text,
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
export async function startIdleMetrics() {
  const metrics = createMetrics();
  const config = testConfig();
  const gauges = [...createIdleGateway(config, composition).gauges];
  for (const start of composition.observers) gauges.push(...((await start(config, noLogger))?.gauges ?? []));
  metrics.start(gauges, []);
  return metrics;
}
