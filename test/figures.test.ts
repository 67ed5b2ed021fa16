import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readResults } from '../bench/measure/results.ts';
import { assertComplete, pages } from '../bench/report/pages.ts';

/* Figures that stand in two places: in two pages, or in a page and in the program. */

const root = resolve(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const flat = (text: string) => text.replace(/\s+/g, ' ');

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

it('asks of a balancer everywhere for an idle timeout of two heartbeats', () => {
  const [, ms = ''] = /HEARTBEAT_MS = ([\d_]+);/.exec(textOf('src/features/live/stream.ts')) ?? [];
  const seconds = Number(ms.replaceAll('_', '')) / 1000;
  const pages = ['docs/live.md', 'docs/scaling.md'].map((path) => flat(textOf(path)));
  for (const page of pages) {
    expect(page).toMatch(new RegExp(`idle timeouts? over ${2 * seconds} s\\b`, 'i'));
    expect(page).toMatch(new RegExp(`every ${seconds} s\\b`));
  }
  const files = ['deploy/haproxy/haproxy.cfg', 'deploy/nginx/portico.conf'];
  for (const file of files) expect(textOf(file)).toContain(`two heartbeats of a stream (${2 * seconds} s)`);
});
