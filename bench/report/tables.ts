import type { Latency, Results, Saturation } from '../rounds/results.ts';
import { type WorkloadId, workloads } from '../workloads/workloads.ts';
import { goalsOf, saturationOf } from './goals.ts';
import { spreadOf, textOf } from './statistics.ts';

/** The goals, each with what was measured. */
export function goalsTable(results: Results): string {
  const rows = goalsOf(results).map(({ text, goal, digits, measured, isReached }) => [
    text,
    goal.toFixed(digits),
    textOf(measured, digits),
    isReached === undefined ? 'not measured' : isReached ? 'yes' : '**no**',
  ]);
  return table(['', 'Goal', 'Measured', 'Reached'], rows);
}

/** One figure of every contender in every workload at saturation. */
export function saturationTable(
  results: Results,
  figure: (row: Saturation) => number | null,
  digits: number,
): string {
  const rows = measured(results).map(({ id, title }) => [
    title,
    ...workloads.map((workload) => {
      if (results.unable.some((row) => row.contender === id && row.workload === workload.id)) return 'cannot';
      return textOf(spreadOf(saturationOf(results, workload.id, id).map(figure)), digits);
    }),
  ]);
  return table(['', ...workloads.map(({ short }) => short)], rows);
}

/** How often each asked for a thing that was just being asked for. */
export function sharingTable(results: Results): string {
  const rows = measured(results).map(({ id, title }) => {
    const rounds = saturationOf(results, 'mix', id);
    return [
      title,
      textOf(spreadOf(rounds.map(({ callsPerInstant }) => callsPerInstant)), 2),
      textOf(spreadOf(rounds.map(({ calls }) => calls)), 2),
    ];
  });
  return table(['w5', 'Calls per key, site and instant', 'Calls per operation'], rows);
}

/** Latencies of every contender in one workload with one delay. */
export function latencyTable(results: Results, workload: WorkloadId, delayMs: number): string {
  const rows = measured(results).flatMap(({ id, title }) => {
    const rounds = results.latency.filter(
      (row) => row.workload === workload && row.contender === id && row.delayMs === delayMs,
    );
    if (rounds.length === 0) return [];
    const cell = (figure: (row: Latency) => number | null) => textOf(spreadOf(rounds.map(figure)), 1);
    const rate = textOf(spreadOf(rounds.map(({ perSecond }) => perSecond)), 0);
    const added = rounds.some(({ direct }) => direct)
      ? [
          cell(({ p50Ms, direct }) => direct && p50Ms - direct.p50Ms),
          cell(({ p99Ms, direct }) => direct && p99Ms - direct.p99Ms),
        ]
      : [];
    const late = cell(({ lateP99Ms }) => lateP99Ms);
    return [[title, rate, cell(({ p50Ms }) => p50Ms), cell(({ p99Ms }) => p99Ms), ...added, late]];
  });
  const isBeside = rows.some((row) => row.length > 5);
  return table(
    ['', 'Asked/s', 'p50 ms', 'p99 ms', ...(isBeside ? ['p50 added', 'p99 added'] : []), 'Sent late, p99 ms'],
    rows,
  );
}

/** Where the CPU goes: the places that take most of Portico's first. Each column adds up to its last row. */
export function profileTable({ profiles, contenders }: Results): string {
  const usOf = (contender: string, place: string) =>
    profiles.find((one) => one.contender === contender)?.places.find((one) => one.place === place)?.us ?? 0;
  const shown = profiles.map(({ contender }) => contender);
  const titles = shown.map((id) => contenders.find((one) => one.id === id)?.title ?? id);
  const places = [...new Set(profiles.flatMap((one) => one.places.map(({ place }) => place)))];
  const isSmall = (place: string) => shown.every((id) => usOf(id, place) < SMALL_US);
  const most = (place: string) =>
    usOf('portico', place) || Math.max(...shown.map((id) => usOf(id, place))) / 1000;
  const large = places.filter((place) => !isSmall(place)).sort((a, b) => most(b) - most(a));
  const cells = (of: readonly string[]) =>
    shown.map((id) => of.reduce((sum, place) => sum + usOf(id, place), 0).toFixed(1));
  return table(
    ['w2, µs', ...titles],
    [
      ...large.map((place) => [place, ...cells([place])]),
      ['all the rest', ...cells(places.filter(isSmall))],
      ['**together**', ...cells(places)],
    ],
  );
}

/** What takes less than this, of everybody, is not listed. */
const SMALL_US = 0.5;

/** Who was measured, in which version. */
export function contendersTable(results: Results): string {
  const rows = results.contenders.map(({ title, versions, cores, sharesCores, skipped }) => [
    title,
    versions || '–',
    skipped !== null ? `not measured: ${skipped}` : `${cores}${sharesCores ? ', shared with who asks' : ''}`,
  ]);
  return table(['Contender', 'Versions', 'Cores'], rows);
}

function measured(results: Results): Results['contenders'] {
  return results.contenders.filter(({ skipped }) => skipped === null);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|${head.map((_, nth) => (nth === 0 ? '---' : '---:')).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
