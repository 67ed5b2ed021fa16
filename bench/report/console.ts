import type { Results } from '../measure/results.ts';
import { workloadOf } from '../workloads/workloads.ts';
import { disturbanceNote } from './page.ts';
import { memoryTable, processesTable, ratiosTable, startUpTable, turnsTable } from './tables.ts';

/** The contenders that are compared with all others. */
const subjects = ['portico', 'portico-default'];

/** Prints the ratios of a quick run, and the figures behind them. */
export function printResults(results: Results): void {
  const { workloads, cycles, turnSeconds } = results.plan;
  for (const id of workloads) console.log(`${workloadOf(id).short}: ${workloadOf(id).title}`);
  console.log(`\nMedians (quartiles) of ${cycles} turns of ${turnSeconds} s`);
  printTable(
    'CPU per operation, µs',
    turnsTable(results, ({ cpuUs }) => cpuUs, 0),
  );
  for (const { id, title } of results.contenders.filter((one) => subjects.includes(one.id))) {
    printTable(`CPU per operation, ${title} / …`, ratiosTable(results, id));
  }
  printTable('Memory', memoryTable(results));
  printTable(
    'Peak RSS at saturation, MB',
    processesTable(results, ({ peakMb }) => peakMb),
  );
  console.log(`\n${disturbanceNote(results)}`);
}

/** Prints how long Portico takes to start, and its memory then. */
export function printStartUps(results: Pick<Results, 'startUps'>): void {
  printTable('Start-up', startUpTable(results));
}

/** Prints a Markdown table with aligned columns, without the rows and columns that have no figures. */
function printTable(heading: string, markdown: string): void {
  const [head = [], , ...body] = markdown.split('\n').map((line) => line.slice(2, -2).split(' | '));
  const hasFigure = (cells: readonly (string | undefined)[]) => cells.some((cell) => cell && /\d/.test(cell));
  const columns = head
    .map((_, nth) => nth)
    .filter((nth) => nth === 0 || hasFigure(body.map((row) => row[nth])));
  const rows = [head, ...body.filter((row) => hasFigure(row.slice(1)))].map((row) =>
    columns.map((nth) => row[nth] ?? ''),
  );
  const widths = columns.map((_, nth) => Math.max(...rows.map((row) => row[nth]?.length ?? 0)));
  const aligned = (cell: string, nth: number) =>
    nth === 0 ? cell.padEnd(widths[nth] ?? 0) : cell.padStart(widths[nth] ?? 0);
  console.log(`\n${heading}\n`);
  for (const row of rows) console.log(`  ${row.map(aligned).join('   ')}`);
}
