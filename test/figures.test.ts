import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readResults } from '../bench/measure/results.ts';
import { assertComplete, pages } from '../bench/report/pages.ts';

const root = resolve(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

const recorded = readResults(join(root, 'bench'));
const unrecorded = 'no results of the benchmark are recorded: npm run bench -- --record';
if (recorded.length === 0) console.warn(`SKIPPED: ${unrecorded}`);

it('has in its pages the recorded figures of Node 24 and 20', ({ skip }) => {
  if (recorded.length === 0) skip(unrecorded);
  expect(() => assertComplete(recorded)).not.toThrow();
  for (const [path, pageWith] of Object.entries(pages))
    expect(pageWith(textOf(path), recorded), path).toBe(textOf(path));
});

it('has recorded its figures of commits of this history', ({ skip }) => {
  if (recorded.length === 0) skip(unrecorded);
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (git('rev-parse', '--is-shallow-repository').stdout?.trim() !== 'false') {
    const reason = 'the history is not here, to look for the commit of the recorded results';
    console.warn(`SKIPPED: ${reason}`);
    skip(reason);
  }
  const unknown = recorded.filter(
    ({ commit }) => git('merge-base', '--is-ancestor', commit ?? '', 'HEAD').status !== 0,
  );
  expect(unknown.map(({ node, commit }) => `Node ${node}: ${commit}`)).toEqual([]);
});
