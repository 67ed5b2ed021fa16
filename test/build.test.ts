import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { buildIfChanged } from '../build/freshness.ts';

function start() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-build-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [input, output] = [join(folder, 'input'), join(folder, 'output')];
  writeFileSync(input, 'one');
  // Before the build.
  utimesSync(input, 0, 0);
  let builds = 0;
  const build = (meanwhile = () => {}) =>
    buildIfChanged('test', folder, async () => {
      builds += 1;
      meanwhile();
      writeFileSync(output, String(builds));
      return { inputs: [input], outputs: [output] };
    });
  return { input, output, build, builds: () => builds };
}

it('builds once while nothing changes', async () => {
  const { output, build, builds } = start();
  expect((await build()).outputs).toEqual([output]);
  expect((await build()).outputs).toEqual([output]);
  expect(builds()).toBe(1);
});

it.each<[string, (files: { input: string; output: string }) => void]>([
  ['an input changes', ({ input }) => writeFileSync(input, 'two')],
  ['an output changes', ({ output }) => writeFileSync(output, 'other')],
  ['an output is deleted', ({ output }) => rmSync(output)],
])('builds again when %s', async (_, change) => {
  const { input, output, build, builds } = start();
  await build();
  change({ input, output });
  await build();
  expect(builds()).toBe(2);
});

it('builds again after a build during which an input changed', async () => {
  const { input, build, builds } = start();
  await build(() => utimesSync(input, new Date(), new Date(Date.now() + 1000)));
  await build();
  expect(builds()).toBe(2);
});
