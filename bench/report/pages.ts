import { majorOf, type Results } from '../measure/results.ts';
import { chartOf } from './chart.ts';
import { goalsTable, ratiosTable, sizesTable } from './tables.ts';

/** The files that hold figures, by their path in the project: each gives its new text from the recorded results. */
export const pages: Record<string, (text: string, all: readonly Results[]) => string> = {
  'docs/performance.md': (text, all) => withFigures(text, `${provenance(all)}\n\n${ratiosTable(all)}`),
  'docs/performance.svg': (text, [newest]) => (newest ? chartOf(newest) : text),
  'docs/sizing.md': (text, all) => withFigures(text, sizesTable(all)),
  'bench/README.md': (text, all) => withFigures(text, goalsTable(all)),
};

/** Where, when and of which commit was measured. */
function provenance(all: readonly Results[]): string {
  const [newest] = all;
  if (!newest) return '';
  const versions = all
    .map((results) => `${results.node} (commit ${results.commit?.slice(0, 12)}, ${results.measuredOn})`)
    .join(' and ');
  return `Measured on Node ${versions}: ${newest.machine}; ${newest.versions}.`;
}

/** Replaces the text between the marks of a page. @throws Error if it has none */
function withFigures(page: string, figures: string): string {
  const [start, end] = ['<!-- figures -->', '<!-- end of figures -->'];
  const [before, rest = ''] = page.split(start);
  const [, after] = rest.split(end);
  if (after === undefined) throw new Error('The page has no place for figures');
  return `${before}${start}\n\n${figures}\n\n${end}${after}`;
}

/** The major versions of Node of which results are recorded, newest first. */
export const recordedNodes = [24, 20];

/** @throws Error if the results of a Node are missing */
export function assertComplete(all: readonly Results[]): void {
  const majors = all.map(majorOf).join();
  if (majors !== recordedNodes.join()) throw new Error(`Results of Node ${recordedNodes}, not of ${majors}`);
}
