import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from '../measure/results.ts';
import { inBench, inProject } from '../paths.ts';
import { cpuChart, latencyChart } from './charts.ts';
import { pageOf } from './page.ts';

export const resultsFile = inBench('results.json');

/** The results of the run before. */
export const readResults = (): Results => JSON.parse(readFileSync(resultsFile, 'utf8'));

/** Writes the results, the page and its charts. */
export function writeReport(results: Results): void {
  writeFileSync(resultsFile, serialised(results));
  writePage(results);
  console.log(`written: ${resultsFile}, ${inProject('docs/performance.md')}`);
}

/** Writes the page and its charts alone. */
export function writePage(results: Results): void {
  const folder = inProject('docs');
  writeFileSync(join(folder, 'performance.md'), pageOf(results));
  writeFileSync(join(folder, 'performance-cpu.svg'), cpuChart(results));
  for (const delayMs of results.plan.latency.delaysMs) {
    writeFileSync(join(folder, `performance-latency-${delayMs}.svg`), latencyChart(results, delayMs));
  }
}

/** JSON with one line for each row of each list, and numbers of at most six digits. */
function serialised(results: Results): string {
  const json = (value: unknown) =>
    JSON.stringify(value, (_, inner) => (typeof inner === 'number' ? Number(inner.toPrecision(6)) : inner));
  const members = Object.entries(results).map(([name, value]) => {
    const text = Array.isArray(value)
      ? `[\n${value.map((row) => `    ${json(row)}`).join(',\n')}\n  ]`
      : json(value);
    return `  ${JSON.stringify(name)}: ${text}`;
  });
  return `{\n${members.join(',\n')}\n}\n`;
}
