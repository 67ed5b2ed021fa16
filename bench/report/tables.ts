import { majorOf, type Results } from '../measure/results.ts';
import { cpuRatio, type Spread, spreadOf, textOf } from '../measure/statistics.ts';
import { workloads } from '../workloads/workloads.ts';
import { goalsOf } from './goals.ts';

/** CPU per operation of Portico, divided by that of every other contender, on each Node. */
export function ratiosTable(all: readonly Results[]): string {
  const [{ contenders, series } = { contenders: [], series: [] }] = all;
  const shown = workloads.filter(({ id }) => series.some(({ workload }) => workload === id));
  const rows = contenders
    .filter(({ id }) => id !== 'portico')
    .flatMap(({ id, title }) =>
      all.map((results) => [
        title,
        `${majorOf(results)}`,
        ...shown.map((workload) => textOf(cpuRatio(results, workload.id, 'portico', id), 2)),
      ]),
    );
  return table(['', 'Node', ...shown.map(({ title }) => title)], rows);
}

/** The goals, each with its measurements on each Node. */
export function goalsTable(all: readonly Results[]): string {
  const byNode = all.map(goalsOf);
  const rows = (byNode[0] ?? []).map(({ text }, nth) => [
    text,
    ...byNode.flatMap((goals) => {
      const goal = goals[nth];
      if (!goal) return ['', ''];
      return [`≤ ${goal.atMost.toFixed(goal.digits)}`, reachedText(goal)];
    }),
  ]);
  const head = all.flatMap((results) => ['Goal', `Node ${majorOf(results)}`]);
  return table(['', ...head], rows);
}

function reachedText(goal: { atMost: number; digits: number; measured: Spread | undefined }): string {
  const { atMost, digits, measured } = goal;
  const text = textOf(measured, digits);
  if (!measured || measured.median <= atMost) return text;
  return `${text}, **missed by ${Math.ceil((measured.median / atMost - 1) * 100)} %**`;
}

const sizes = [
  ['w2', 'a site with its clients: 1 REST call (w2)'],
  ['w4', '20 sites by id: 20 REST calls (w4)'],
] as const;

/** The work of one process with its defaults on one core, on each Node. */
export function sizesTable(all: readonly Results[]): string {
  const rows = sizes.flatMap(([workload, text]) =>
    all.flatMap((results) => {
      const own = results.series.find(
        (one) => one.workload === workload && one.contender === 'portico-default',
      );
      if (!own) return [];
      const ratio = cpuRatio(results, workload, 'portico-default', 'hand-written');
      const rate = medianOf(spreadOf(own.perSecond), 0);
      const cpu = `${medianOf(spreadOf(own.cpuUs), 0)} µs`;
      return [[text, `${majorOf(results)}`, rate, cpu, medianOf(ratio, 2), `${Math.round(own.peakMb)} MB`]];
    }),
  );
  return table(
    ['Operation', 'Node', 'Operations per second', 'CPU', 'CPU, to a handler by hand', 'Peak memory'],
    rows,
  );
}

function medianOf(spread: Spread | undefined, digits: number): string {
  return textOf(spread && { ...spread, low: spread.median, high: spread.median }, digits);
}

/** CPU and memory of every contender in every workload. */
export function figuresTable({ contenders, series }: Results): string {
  const rows = series.map(({ workload, contender, cpuUs, perSecond, peakMb }) => [
    `${workload}, ${contenders.find(({ id }) => id === contender)?.title}`,
    textOf(spreadOf(cpuUs), 0),
    textOf(spreadOf(perSecond), 0),
    peakMb.toFixed(0),
  ]);
  return table(['', 'CPU per operation, µs', 'Operations per second', 'Peak RSS, MB'], rows);
}

/** A Markdown table; all columns but the first are aligned to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|${head.map((_, nth) => (nth === 0 ? '---' : '---:')).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
