import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from './manifest.ts';

const run = promisify(execFile);

/** A git repository in a folder that is deleted at the end of the test. */
export async function makeRepository() {
  const folder = await makeFolder();
  const git = async (...args: string[]) =>
    (
      await run('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
        cwd: folder,
      })
    ).stdout;
  await git('init', '--quiet', '--initial-branch', 'main');
  return {
    folder,
    git,
    /** Writes files by their paths, deletes those without a text, and commits all. */
    async commit(files: Record<string, string | null>): Promise<void> {
      for (const [name, text] of Object.entries(files)) {
        const path = join(folder, name);
        if (text === null) await rm(path);
        else {
          await mkdir(dirname(path), { recursive: true });
          await writeFile(path, text);
        }
      }
      await git('add', '--all');
      await git('commit', '--quiet', '--message', 'a change');
    },
  };
}
