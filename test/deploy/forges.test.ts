import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { namesHost, root, yamlOf } from './files.ts';

/* What a fork's first push runs; the forges themselves are not here to run it. */

interface GithubJob {
  container: string;
  strategy: { matrix: { node: number[] } };
  steps: { uses?: string; run?: string }[];
}
interface GitlabJob {
  image: string;
  parallel: { matrix: { NODE: string[] }[] };
  script: string[];
}

it('runs .ci/run on Node 20 and 24 on GitHub and GitLab, in images of no registry of its own', () => {
  const github = yamlOf<{ jobs: { run: GithubJob } }>('.github/workflows/ci.yml').jobs.run;
  const gitlab = yamlOf<{ run: GitlabJob }>('.gitlab-ci.yml').run;
  const [checkout, ...commands] = github.steps;
  expect(checkout?.uses).toMatch(/^actions\/checkout@v\d+$/);
  expect(commands).toEqual([{ run: '.ci/run' }]);
  expect(gitlab.script).toEqual(['.ci/run']);
  expect(github.strategy.matrix.node).toEqual([20, 24]);
  expect(gitlab.parallel.matrix).toEqual([{ NODE: ['20', '24'] }]);
  expect([github.container, gitlab.image].filter(namesHost)).toEqual([]);
  // Both forges start it as a program.
  accessSync(join(root, '.ci/run'), constants.X_OK);
});
