import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inBench, inProject } from '../contenders/places.ts';
import type { Results } from '../rounds/results.ts';
import { cpuChart, latencyChart } from './charts.ts';
import { pageOf } from './page.ts';

export const resultsFile = inBench('results.json');

/** Writes the results, the page and its charts: those of a quick run aside, where they replace nothing. */
export function writeReport(results: Results): void {
  const quick = inBench('quick');
  if (results.isQuick) mkdirSync(quick, { recursive: true });
  const folder = results.isQuick ? quick : inProject('docs');
  const json = results.isQuick ? join(quick, 'results.json') : resultsFile;
  writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  writePage(results, folder);
  console.log(`written: ${json}, ${join(folder, 'performance.md')}`);
}

/** Writes the page and its charts alone. */
export function writePage(results: Results, folder: string): void {
  writeFileSync(join(folder, 'performance.md'), pageOf(results));
  writeFileSync(join(folder, 'performance-cpu.svg'), cpuChart(results));
  for (const delayMs of results.plan.latency.delaysMs) {
    writeFileSync(join(folder, `performance-latency-${delayMs}.svg`), latencyChart(results, delayMs));
  }
}
