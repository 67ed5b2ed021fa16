/**
 * `npm run mutants -- [file]`: Stryker changes each file, or those whose path contains `file`, and runs the
 * tests that concern it. Fails where a change that no test notices is not listed in survivors.ts, or the
 * other way round.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { mutated } from './survivors.ts';

/**
 * The mutants of a file that live though tests reach their lines: each as the line that it is in, changed.
 */
async function survivorsOf(file: string, tests: readonly string[]): Promise<string[]> {
  process.env.MUTANTS_TESTS = tests.join(',');
  const results = await new Stryker({
    mutate: [file],
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutants/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // A line that also runs outside of tests would cost a run of all of them; one that only runs there is
    // left out.
    ignoreStatic: true,
    // A test that hangs fails by itself: this is for a runner that hangs.
    timeoutMS: 20_000,
    concurrency: Math.max(availableParallelism() - 1, 1),
    reporters: ['clear-text'],
    clearTextReporter: { logTests: false },
    tempDirName: join(tmpdir(), 'portico-mutants'),
    // The compiler has no API for it any more, and nothing here extends a configuration.
    tsconfigFile: 'none',
    disableTypeChecks: false,
  }).runMutationTest();
  const lines = readFileSync(file, 'utf8').split('\n');
  return results
    .filter(({ status }) => status === 'Survived')
    .map(({ location: { start, end }, replacement = '' }) => {
      const before = lines[start.line - 1]?.slice(0, start.column - 1);
      const after = lines[end.line - 1]?.slice(end.column - 1);
      return `${before}${replacement}${after}`.replace(/\s+/g, ' ').trim();
    });
}

const asked = process.argv.slice(2);
const files = Object.entries(mutated).filter(
  ([file]) => asked.length === 0 || asked.some((part) => file.includes(part)),
);
const faults = files.length > 0 ? [] : [`survivors.ts has no file with ${asked.join(' or ')} in its path`];
for (const [file, { tests, survivors }] of files) {
  const living = await survivorsOf(file, tests);
  for (const line of living) if (!survivors[line]) faults.push(`${file}: no test notices \`${line}\``);
  for (const line of Object.keys(survivors)) {
    if (!living.includes(line)) faults.push(`${file}: remove \`${line}\` from survivors.ts`);
  }
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
