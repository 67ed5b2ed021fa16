import type { Results } from '../measure/results.ts';
import { figuresTable, goalsTable, ratiosTable } from './tables.ts';

/** Prints the figures of a run. */
export function printResults(results: Results): void {
  printTable('CPU and memory', figuresTable(results));
  printTable('CPU per operation, Portico / …', ratiosTable([results]));
  printTable('Goals', goalsTable([results]));
}

/** Prints a Markdown table with aligned columns. */
function printTable(heading: string, markdown: string): void {
  const [head = [], , ...body] = markdown.split('\n').map((line) => line.slice(2, -2).split(' | '));
  const rows = [head, ...body.filter((cells) => cells.some((cell) => /\d/.test(cell)))];
  const widths = head.map((_, nth) => Math.max(...rows.map((row) => row[nth]?.length ?? 0)));
  const aligned = (cell: string, nth: number) =>
    nth === 0 ? cell.padEnd(widths[nth] ?? 0) : cell.padStart(widths[nth] ?? 0);
  console.log(`\n${heading}\n`);
  for (const row of rows) console.log(`  ${row.map(aligned).join('   ')}`);
}
