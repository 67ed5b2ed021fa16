import type { Results } from '../measure/results.ts';
import { cpuRatio } from '../measure/statistics.ts';
import { type WorkloadId, workloadOf } from '../workloads/workloads.ts';

/** The servers that one would pick. */
const shown = [
  { id: 'portico', name: 'Portico', colour: '#4c78a8' },
  { id: 'mercurius', name: 'Mercurius', colour: '#f58518' },
  { id: 'yoga', name: 'Yoga', colour: '#54a24b' },
  { id: 'apollo', name: 'Apollo', colour: '#b279a2' },
];
const groups: WorkloadId[] = ['w2', 'w4', 'w6', 'w9'];

const WIDTH = 720;
const LEFT = 200;
const BAR = 14;
const GAP = 18;
const TOP = 62;

/** CPU per operation of the servers that one would pick, with Portico as 1: bars, as an SVG. */
export function chartOf(results: Results): string {
  const measured = groups.filter((id) => results.series.some(({ workload }) => workload === id));
  const topOf = (group: number) => TOP + group * (shown.length * BAR + GAP);
  const bars = measured.flatMap((workload, group) =>
    shown.flatMap(({ id, colour }, nth) => {
      const value = id === 'portico' ? 1 : cpuRatio(results, workload, id, 'portico')?.median;
      return value === undefined ? [] : [{ value, y: topOf(group) + nth * BAR, colour }];
    }),
  );
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const scale = (WIDTH - LEFT - 60) / most;
  const titles = measured.map((workload, group) => {
    const y = topOf(group) + (shown.length * BAR) / 2 + 4;
    return text(LEFT - 10, y, workloadOf(workload).title, 'text-anchor="end"');
  });
  const legend = shown.map(
    ({ name, colour }, nth) =>
      `<rect x="${LEFT + nth * 110}" y="34" width="10" height="10" fill="${colour}"/>` +
      text(LEFT + nth * 110 + 15, 43, name),
  );
  const drawn = bars.map(
    ({ value, y, colour }) =>
      `<rect x="${LEFT}" y="${y}" width="${(value * scale).toFixed(1)}" height="${BAR - 2}" fill="${colour}"/>` +
      text(LEFT + Number((value * scale).toFixed(0)) + 5, y + 10, value.toFixed(2)),
  );
  const height = topOf(measured.length);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
${text(12, 20, `CPU per operation on Node ${results.node}, Portico = 1 (lower is better)`, 'font-size="14"')}
${[...legend, ...titles, ...drawn].join('\n')}
</svg>
`;
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x}" y="${y}" ${attributes}>${content}</text>`;
}
