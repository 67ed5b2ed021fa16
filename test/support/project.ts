import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { onTestFinished } from 'vitest';
import { makeFolder } from './manifest.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** What is not copied: packages and output. */
const omitted = ['node_modules', 'dist', '.git'];

/**
 * A copy of the project without its output, with links to the files of its packages. It is deleted at the end
 * of the test; a concurrent one gives its own `onFinished`.
 */
export async function copyProject(onFinished?: typeof onTestFinished): Promise<string> {
  const folder = await makeFolder(onFinished);
  await cp(root, folder, { recursive: true, filter: (path) => !omitted.includes(basename(path)) });
  const packages = [join(root, 'node_modules'), join(folder, 'node_modules')];
  // Links to files, because a build lists the packages in the folder of the project; copies where /tmp is another device.
  await run('cp', ['-al', ...packages]).catch(async () => {
    await rm(join(folder, 'node_modules'), { recursive: true, force: true });
    await run('cp', ['-a', ...packages]);
  });
  // These are written to, and must not be those of the project.
  for (const name of ['.cache', '.vite', '.vite-temp']) {
    await rm(join(folder, 'node_modules', name), { recursive: true, force: true });
  }
  return folder;
}

/** The environment of a developer's shell: a run of tests has settings of its own. */
export function shellEnv(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NO_COLOR: '1' };
}
