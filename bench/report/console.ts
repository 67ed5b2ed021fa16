import type { Results, StartUp } from '../measure/results.ts';
import { workloadOf } from '../workloads/workloads.ts';
import { cpuRatio, turnsOf } from './ratios.ts';
import { spreadOf, textOf } from './statistics.ts';
import { disturbanceOf, startUpRows } from './tables.ts';

const comparisons = [
  ['portico', 'hand-written'],
  ['portico-default', 'hand-written'],
  ['portico', 'mercurius'],
  ['portico', 'yoga'],
  ['portico', 'portico-against'],
] as const;

/** Prints the ratios of a quick run, and the figures behind them. */
export function printResults(results: Results): void {
  const titleOf = (id: string) => results.contenders.find((one) => one.id === id)?.title ?? id;
  const rows = results.plan.workloads.map((id) => {
    const { short, title } = workloadOf(id);
    return { id, name: `${short} ${title}` };
  });
  const print = (
    heading: string,
    columns: Record<string, (workload: (typeof rows)[number]['id']) => string>,
  ) => {
    const used = Object.entries(columns).filter(([, cell]) => rows.some(({ id }) => cell(id) !== '–'));
    console.log(`\n${heading}`);
    console.table(
      Object.fromEntries(
        rows.map(({ id, name }) => [
          name,
          Object.fromEntries(used.map(([column, cell]) => [column, cell(id)])),
        ]),
      ),
    );
  };
  const { cycles, turnSeconds } = results.plan;
  print(
    `CPU per operation: median of paired ratios (quartiles), ${cycles} cycles of turns of ${turnSeconds} s`,
    Object.fromEntries(
      comparisons.map(([contender, baseline]) => [
        `${titleOf(contender)} / ${titleOf(baseline)}`,
        (workload) => textOf(cpuRatio(results, workload, contender, baseline), 2),
      ]),
    ),
  );
  print(
    'CPU per operation, µs',
    Object.fromEntries(
      results.contenders.map(({ id, title }) => [
        title,
        (workload) => textOf(spreadOf(turnsOf(results.turns, workload, id).map(({ cpuUs }) => cpuUs)), 0),
      ]),
    ),
  );
  console.log('\nGarbage per operation of w2, kB');
  for (const { contender, bytesPerOperation } of results.garbage) {
    console.log(`  ${titleOf(contender)}: ${(bytesPerOperation / 1000).toFixed(1)}`);
  }
  const { wait, idle, load } = disturbanceOf(results);
  console.log(
    `\nMain threads waited for their core ${percent(wait?.median ?? 0)} of the time; an idle contender used at most ` +
      `${percent(idle)} of a core, the load generator at most ${percent(load)} of its own.`,
  );
}

/** Prints how long Portico takes to start, and its memory then. */
export function printStartUps(startUps: readonly StartUp[]): void {
  console.table(
    startUpRows(startUps).map(([upstream, ready, rss]) => ({
      upstream,
      'ready after, ms': ready,
      'RSS, MB': rss,
    })),
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
