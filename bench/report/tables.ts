import {
  type Latency,
  majorOf,
  type ProcessRecord,
  type Results,
  type StartUp,
  type Turn,
} from '../measure/results.ts';
import { cpuRatio, type Spread, spreadOf, textOf, turnsOf } from '../measure/statistics.ts';
import { workloads } from '../workloads/workloads.ts';
import { type Goal, goalsOf } from './goals.ts';

/** A category of the CPU profile below this for every contender is not listed. */
const SMALL_US = 0.5;

/** The goals, each with its measurements on each Node. */
export function goalsTable(all: readonly Results[]): string {
  const byNode = all.map(goalsOf);
  const rows = (byNode[0] ?? []).map(({ text }, nth) => [
    text,
    ...byNode.flatMap((goals) => goalCells(goals[nth])),
  ]);
  const head = all.flatMap(({ machine, measuredOn }) => [
    'Goal',
    `Node ${majorOf(machine.node)}, ${measuredOn}`,
    'Reached',
  ]);
  return table(['', ...head], rows);
}

/** What stands in the way of each goal that is missed on a Node. */
export function obstaclesList(all: readonly Results[]): string {
  const missed = all.flatMap(goalsOf).filter(({ isReached }) => isReached === false);
  const lines = missed.map(({ text, obstacle }) => `- ${text}: ${obstacle}`);
  return [...new Set(lines)].join('\n') || 'All goals are reached.';
}

function goalCells(one: Goal | undefined): string[] {
  if (!one) return ['', '', ''];
  const { goal, digits, measured, isReached } = one;
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const atMost = `≤ ${goal.toLocaleString('en-US', format)}`;
  if (!measured) return [atMost, '–', 'not measured'];
  // Other runs would have decided otherwise.
  const isClose = measured.low <= goal && goal < measured.high;
  const reached = `${isReached ? 'yes' : '**no**'}${isClose ? ', within the spread' : ''}`;
  return [atMost, textOf(measured, digits), reached];
}

/** A figure of the turns, for every contender in every workload. */
export function turnsTable(results: Results, figure: (turn: Turn) => number | null, digits: number): string {
  return workloadsTable(results, (workload, contender) =>
    textOf(spreadOf(turnsOf(results.turns, workload, contender).map(figure)), digits),
  );
}

/** CPU per operation of one contender, divided by that of every other one, from paired turns. */
export function ratiosTable(results: Results, contender: string): string {
  return workloadsTable(results, (workload, baseline) =>
    contender === baseline ? '1' : textOf(cpuRatio(results, workload, contender, baseline), 2),
  );
}

/** What a site costs alone and in lists, and what a known document and an unseen one do, in µs of CPU. */
export function growthTable(results: Results): string {
  const columns = [
    ['a site alone', 'site', 1],
    ['in a list of 20', 'many', 20],
    ['in a list of 50', 'fifty', 50],
    ['w2, a known document', 'clients', 1],
    ['an unseen one', 'unseen', 1],
  ] as const;
  const rows = measured(results).flatMap(({ id, title }) => {
    const cells = columns.map(([, workload, sites]) =>
      textOf(spreadOf(turnsOf(results.turns, workload, id).map(({ cpuUs }) => cpuUs && cpuUs / sites)), 0),
    );
    const isInLists = turnsOf(results.turns, 'fifty', id).length > 0;
    return isInLists ? [[title, ...cells]] : [];
  });
  return table(['', ...columns.map(([head]) => head)], rows);
}

/** A figure of the processes, for every contender in every workload. */
export function processesTable(results: Results, figure: (process: ProcessRecord) => number | null): string {
  return workloadsTable(results, (workload, contender) => {
    const own = results.processes.filter((row) => row.workload === workload && row.contender === contender);
    return textOf(spreadOf(own.map(figure)), 0);
  });
}

function workloadsTable(
  results: Results,
  cell: (workload: (typeof workloads)[number]['id'], contender: string) => string,
): string {
  const shown = workloads.filter(({ id }) => results.plan.workloads.includes(id));
  const rows = measured(results).map(({ id, title }) => [
    title,
    ...shown.map((workload) => {
      const isUnsupported = results.unsupported.some(
        (row) => row.contender === id && row.workload === workload.id,
      );
      return isUnsupported ? 'not possible' : cell(workload.id, id);
    }),
  ]);
  return table(['', ...shown.map(({ short }) => short)], rows);
}

/** How many of the calls of w5 overlapped with an equal one. */
export function coalescingTable(results: Results): string {
  const rows = measured(results).map(({ id, title }) => {
    const turns = turnsOf(results.turns, 'mix', id);
    return [
      title,
      textOf(spreadOf(turns.map(({ callsPerDistinct }) => callsPerDistinct)), 2),
      textOf(spreadOf(turns.map(({ calls }) => calls)), 2),
    ];
  });
  return table(['w5', 'Calls for each distinct one', 'Calls per operation'], rows);
}

/** RSS after start, and the garbage of an operation. */
export function memoryTable(results: Results): string {
  const rows = measured(results).map(({ id, title }) => {
    const own = results.processes.filter(({ contender }) => contender === id);
    const garbage = results.garbage.filter(({ contender }) => contender === id);
    return [
      title,
      textOf(spreadOf(own.map(({ rssAfterStartMb }) => rssAfterStartMb)), 0),
      textOf(spreadOf(garbage.map(({ bytesPerOperation }) => bytesPerOperation / 1000)), 1),
    ];
  });
  return table(['', 'RSS after start, MB', 'Garbage per operation of w2, kB'], rows);
}

/** How long Portico takes to start, and its memory then. */
export function startUpTable({ startUps }: Pick<Results, 'startUps'>): string {
  const upstreams: StartUp['upstream'][] = ['UPSTREAM_URL', 'embedded reference'];
  const rows = upstreams.map((upstream) => {
    const own = startUps.filter((one) => one.upstream === upstream);
    return [
      upstream,
      textOf(spreadOf(own.map(({ readyMs }) => readyMs)), 0),
      textOf(spreadOf(own.map(({ rssMb }) => rssMb)), 0),
    ];
  });
  return table(['', 'Ready after, ms', 'RSS, MB'], rows);
}

/** Latencies of every contender with one delay of the upstream. */
export function latencyTable(results: Results, delayMs: number, isPinned = false): string {
  const rows = measured(results).flatMap(({ id, title }) => {
    const own = results.latencies.filter(
      (row) => row.contender === id && row.delayMs === delayMs && row.isPinned === isPinned,
    );
    if (own.length === 0) return [];
    const cell = (figure: (row: Latency) => number, digits = 1) => textOf(spreadOf(own.map(figure)), digits);
    return [
      [
        title,
        cell(({ perSecond }) => perSecond, 0),
        cell(({ p50Ms }) => p50Ms),
        cell(({ p99Ms }) => p99Ms),
        cell(({ p50Ms, direct }) => p50Ms - direct.p50Ms),
        cell(({ p99Ms, direct }) => p99Ms - direct.p99Ms),
        cell(({ lateP99Ms }) => lateP99Ms),
      ],
    ];
  });
  return table(['', 'Requests/s', 'p50 ms', 'p99 ms', 'p50 added', 'p99 added', 'Sent late, p99 ms'], rows);
}

/** Where the CPU goes: the largest categories of Portico first. The last row is the sum of each column. */
export function profileTable({ cpuProfiles, contenders }: Results): string {
  const usOf = (contender: string, category: string) =>
    cpuProfiles
      .find((one) => one.contender === contender)
      ?.categories.find((one) => one.category === category)?.us ?? 0;
  const shown = cpuProfiles.map(({ contender }) => contender);
  const titles = shown.map((id) => contenders.find((one) => one.id === id)?.title ?? id);
  const all = [...new Set(cpuProfiles.flatMap((one) => one.categories.map(({ category }) => category)))];
  const isSmall = (category: string) => shown.every((id) => usOf(id, category) < SMALL_US);
  const weight = (category: string) =>
    usOf('portico', category) || Math.max(...shown.map((id) => usOf(id, category))) / 1000;
  const large = all.filter((category) => !isSmall(category)).sort((a, b) => weight(b) - weight(a));
  const cells = (of: readonly string[]) =>
    shown.map((id) => of.reduce((sum, category) => sum + usOf(id, category), 0).toFixed(1));
  return table(
    ['w2, µs', ...titles],
    [
      ...large.map((category) => [category, ...cells([category])]),
      ['all others', ...cells(all.filter(isSmall))],
      ['**sum**', ...cells(all)],
    ],
  );
}

/** The contenders with their versions. */
export function contendersTable(results: Results): string {
  const rows = results.contenders.map(({ title, versions, skipped }) => [
    title,
    skipped === null ? versions : `not measured: ${skipped}`,
  ]);
  return table(['Contender', 'Versions'], rows);
}

/** How much the machine disturbed the run, as shares of a core. */
export function disturbanceOf({ turns, latencies, processes }: Results): {
  wait: Spread | undefined;
  idle: number;
  load: number;
} {
  return {
    wait: spreadOf([...turns, ...latencies].map(({ waitShare }) => waitShare)),
    idle: Math.max(0, ...processes.map(({ idleShare }) => idleShare ?? 0)),
    load: Math.max(0, ...turns.map(({ loadShare }) => loadShare)),
  };
}

function measured(results: Results): Results['contenders'] {
  return results.contenders.filter(({ skipped }) => skipped === null);
}

/** A Markdown table; all columns but the first are aligned to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|${head.map((_, nth) => (nth === 0 ? '---' : '---:')).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
