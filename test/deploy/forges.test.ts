import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { namesHost, root, yamlOf } from './files.ts';

/* What a fork's first push runs; the forge itself is not here to run it. */

interface GithubJob {
  container: string;
  strategy: { matrix: { node: number[] } };
  steps: { uses?: string; run?: string }[];
}

it('runs .ci/run on Node 20 and 24 on GitHub, in an image of no registry of its own', () => {
  const github = yamlOf<{ jobs: { run: GithubJob } }>('.github/workflows/ci.yml').jobs.run;
  const [checkout, ...commands] = github.steps;
  expect(checkout?.uses).toMatch(/^actions\/checkout@v\d+$/);
  expect(commands).toEqual([{ run: '.ci/run' }]);
  expect(github.strategy.matrix.node).toEqual([20, 24]);
  expect(namesHost(github.container)).toBe(false);
  // It is started as a program.
  accessSync(join(root, '.ci/run'), constants.X_OK);
});
