import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { textOf } from '../../support/files.ts';
import { startIdleMetrics } from './scrape.ts';

interface Panel {
  title: string;
  targets?: { expr: string }[];
}
interface Alert {
  alert: string;
  expr: string;
}

const dashboard = JSON.parse(textOf('deploy/grafana/portico.json')) as { uid: string; panels: Panel[] };
const rules = parse(textOf('deploy/alerts/portico.yaml')) as { groups: { rules: Alert[] }[] };
const alerts = rules.groups.flatMap((group) => group.rules);

/** Each query, by its panel or alert, with values for Grafana's variables. */
const queries = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
].map(
  ([title, text]) => [title, text.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*')] as const,
);

/** The labels that Prometheus adds. */
const scrapeLabels = ['job', 'instance'];

/** The metrics of a query, and the labels that it selects or groups by. */
function namesIn(query: string): { metrics: string[]; labels: string[] } {
  const selected = [...query.matchAll(/(\w+) ?(?:=~?|!=|!~) ?"/g)].map(([, label = '']) => label);
  const grouped = [...query.matchAll(/\b(?:by|on|ignoring|group_left|without) ?\(([^)]*)\)/g)];
  const labels = grouped.flatMap(([, list = '']) => list.split(',').map((label) => label.trim()));
  return {
    metrics: query.match(/\b(?:portico|process|nodejs)_\w+|\bup\b/g) ?? [],
    labels: [...selected, ...labels].filter((label) => label !== ''),
  };
}

/** The labels of each series of the registry; a histogram has three series. */
async function readSeries(): Promise<Map<string, string[]>> {
  const metrics = (await startIdleMetrics()).registry.getMetricsAsArray() as unknown as {
    name: string;
    labelNames: string[];
    constructor: { name: string };
  }[];
  const series = new Map([['up', [] as string[]]]);
  for (const { name, labelNames, constructor: kind } of metrics) {
    if (kind.name !== 'Histogram') series.set(name, labelNames);
    else for (const part of ['bucket', 'sum', 'count']) series.set(`${name}_${part}`, [...labelNames, 'le']);
  }
  return series;
}

it('uses only existing metrics and labels in the dashboard and the alerts', async () => {
  const series = await readSeries();
  expect(queries.length).toBeGreaterThan(30);
  for (const [title, query] of queries) {
    const { metrics, labels } = namesIn(query);
    expect(metrics.length, title).toBeGreaterThan(0);
    expect(
      metrics.filter((name) => !series.has(name)),
      title,
    ).toEqual([]);
    const known = [...scrapeLabels, ...metrics.flatMap((name) => series.get(name) ?? [])];
    expect(
      labels.filter((label) => !known.includes(label)),
      title,
    ).toEqual([]);
  }
});
