import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { majorOf, type Results } from '../measure/results.ts';
import { inBench, inProject } from '../paths.ts';
import { cpuChart, latencyChart } from './charts.ts';
import { pageOf } from './page.ts';

/** The results of a major version of Node. */
const fileOf = (major: number) => inBench(`results-${major}.json`);

/** The results of the run before on this Node. */
export const readResults = (): Results => read(fileOf(majorOf(process.version)));

/** Writes the results, the page and its charts. */
export function writeReport(results: Results): void {
  const file = fileOf(majorOf(results.machine.node));
  writeFileSync(file, serialised(results));
  writePage();
  console.log(`written: ${file}, ${inProject('docs/performance.md')}`);
}

/** Writes the page and its charts alone: of the newest Node, with the goals of all. */
export function writePage(): void {
  const all = readdirSync(inBench('.'))
    .filter((name) => /^results-\d+\.json$/.test(name))
    .map((name) => read(inBench(name)))
    .sort((a, b) => majorOf(b.machine.node) - majorOf(a.machine.node));
  const [results] = all;
  if (!results) throw new Error('There are no results: npm run bench');
  const folder = inProject('docs');
  writeFileSync(join(folder, 'performance.md'), pageOf(results, all));
  writeFileSync(join(folder, 'performance-cpu.svg'), cpuChart(results));
  for (const delayMs of results.plan.latency.delaysMs) {
    writeFileSync(join(folder, `performance-latency-${delayMs}.svg`), latencyChart(results, delayMs));
  }
}

function read(file: string): Results {
  return JSON.parse(readFileSync(file, 'utf8'));
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
