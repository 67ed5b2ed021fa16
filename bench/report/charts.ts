import { init } from 'echarts';
import type { Results } from '../measure/results.ts';
import { spreadOf, turnsOf } from '../measure/statistics.ts';
import { workloads } from '../workloads/workloads.ts';

const colours = ['#4c78a8', '#f58518', '#54a24b', '#b279a2', '#9d755d', '#e45756', '#72b7b2'];

interface Series {
  name: string;
  /** One for each contender; null where there is none. */
  values: (number | null)[];
}

/** CPU per operation of every contender and workload. */
export function cpuChart(results: Results): string {
  const shown = measured(results);
  const taken = workloads.filter(({ id }) => results.plan.workloads.includes(id));
  const series = taken.map(({ id, short, title }) => ({
    name: `${short} ${title}`,
    values: shown.map((contender) => {
      const turns = turnsOf(results.turns, id, contender.id);
      return spreadOf(turns.map(({ cpuUs }) => cpuUs))?.median ?? null;
    }),
  }));
  return chart('CPU per operation, microseconds (log scale; lower is better)', 'log', shown, series);
}

/** The latency that every contender adds to a REST call of that delay. */
export function latencyChart(results: Results, delayMs: number): string {
  const rounds = (contender: string) =>
    results.latencies.filter(
      (row) => row.contender === contender && row.delayMs === delayMs && !row.isPinned,
    );
  const shown = measured(results).filter(({ id }) => rounds(id).length > 0);
  const series = (['p50Ms', 'p99Ms'] as const).map((figure) => ({
    name: figure.slice(0, 3),
    values: shown.map(({ id }) => {
      const added = rounds(id).map((row) => row[figure] - row.direct[figure]);
      return spreadOf(added)?.median ?? null;
    }),
  }));
  return chart(
    `w2: added to a REST call of ${delayMs} ms at half load, milliseconds`,
    'value',
    shown,
    series,
  );
}

function measured(results: Results): Results['contenders'] {
  return results.contenders.filter(({ skipped }) => skipped === null);
}

/** Bars for each contender, as an SVG. */
function chart(
  title: string,
  scale: 'log' | 'value',
  shown: Results['contenders'],
  series: readonly Series[],
): string {
  const height = 130 + shown.length * (16 + series.length * 13);
  const instance = init(null, null, { renderer: 'svg', ssr: true, width: 860, height });
  instance.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    color: colours,
    textStyle: { fontFamily: 'sans-serif' },
    title: { text: title, left: 12, top: 10, textStyle: { fontSize: 15, fontWeight: 'normal' } },
    legend: { left: 12, top: 36, itemHeight: 10, textStyle: { fontSize: 11 } },
    grid: { left: 220, right: 60, top: 90, bottom: 30 },
    xAxis: { type: scale, splitLine: { lineStyle: { color: '#e4e4e4' } } },
    yAxis: {
      type: 'category',
      inverse: true,
      data: shown.map((contender) => contender.title),
      axisTick: { show: false },
    },
    series: series.map(({ name, values }) => ({
      type: 'bar',
      name,
      data: values.map((value) => (value === null ? '-' : roundedTo(value))),
      label: { show: true, position: 'right', fontSize: 10 },
    })),
  });
  const svg = instance.renderToSVGString();
  instance.dispose();
  return svg;
}

function roundedTo(value: number): number {
  // A negative difference is noise.
  return Math.max(0, Number(value.toPrecision(3)));
}
