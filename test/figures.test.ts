import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readResults } from '../bench/measure/results.ts';
import { assertComplete, pages } from '../bench/report/pages.ts';
import { root, textOf } from './support/files.ts';

const recorded = readResults(join(root, 'bench'));
const unrecorded = 'no results of the benchmark are recorded: npm run bench -- --record';
if (recorded.length === 0) console.warn(`SKIPPED: ${unrecorded}`);

it('has in its pages the recorded figures of Node 24 and 20', ({ skip }) => {
  if (recorded.length === 0) skip(unrecorded);
  expect(() => assertComplete(recorded)).not.toThrow();
  for (const [path, pageWith] of Object.entries(pages))
    expect(pageWith(textOf(path), recorded), path).toBe(textOf(path));
});
