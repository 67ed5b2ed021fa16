import { basename, dirname, resolve } from 'node:path';
import type { Entry, FileTree } from './documents.ts';
import { git } from './git.ts';

/**
 * The files of a commit of the repository that the working directory is in, without symbolic links and
 * submodules. Only reads the objects of git: there is no worktree. Rejects with the reason, in one line.
 */
export async function readCommit(ref: string): Promise<FileTree> {
  const root = resolve((await git(['rev-parse', '--show-cdup'])).toString().trim());
  const listed = await git(['ls-tree', '-r', '-z', '--full-tree', `${ref}^{commit}`]).catch(() => {
    // git repeats the name, which may be a misplaced API key.
    throw new Error('it names neither a file nor a commit that git has here; fetch the commit first');
  });
  const objects = new Map<string, string>();
  const folders = new Map<string, Entry[]>();
  const files = listed.toString().matchAll(/(?<=^|\0)100\d+ blob (\w+)\t([^\0]+)\0/g);
  for (const [, object = '', name = ''] of files) {
    const path = resolve(root, name);
    objects.set(path, object);
    addEntry(folders, path, false);
  }
  return {
    async isFolder(path) {
      if (!folders.has(path) && !objects.has(path)) throw new Error('the commit does not have it');
      return folders.has(path);
    },
    entriesOf: async (folder) => folders.get(folder) ?? [],
    realPathOf: async (path) => path,
    // What git ignores is in no commit, unless it was added all the same.
    ignoredIn: async () => new Set(),
    async readTexts(paths) {
      const input = paths.map((path) => `${objects.get(path)}\n`).join('');
      return textsFrom(await git(['cat-file', '--batch'], { input }), paths.length);
    },
  };
}

/** Adds a path to the folder that it is in, and a new folder to the one that this is in. */
function addEntry(folders: Map<string, Entry[]>, path: string, isFolder: boolean): void {
  const parent = dirname(path);
  const entries = folders.get(parent) ?? [];
  const isFile = () => !isFolder;
  const entry = { name: basename(path), isFile, isDirectory: () => isFolder, isSymbolicLink: () => false };
  if (entries.push(entry) > 1 || parent === path) return;
  folders.set(parent, entries);
  addEntry(folders, parent, true);
}

/** The texts that `git cat-file --batch` prints: each after a line that ends with its length in bytes. */
function textsFrom(output: Buffer, count: number): string[] {
  let next = 0;
  return Array.from({ length: count }, () => {
    const start = output.indexOf('\n', next) + 1;
    const length = Number(output.toString('latin1', next, start).split(' ').at(-1));
    if (Number.isNaN(length)) throw new Error('git lacks a file of the commit');
    next = start + length + 1;
    return output.toString('utf8', start, start + length);
  });
}
