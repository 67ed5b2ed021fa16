import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';

/**
 * The real path of an absolute one. Rejects where a symbolic link on the way leaves the repository that the link
 * is in, or without a repository the working directory: what a change adds must not print other files.
 */
export async function realPathOf(path: string): Promise<string> {
  const real = await realpath(path).catch((error: unknown) => {
    // A pipe that the shell passes as a file has no real path.
    if (rootOf(dirname(path)) !== undefined) throw error;
    return path;
  });
  if (real === path) return real;
  const folder = await realPathOf(dirname(path));
  const root = rootOf(folder);
  const isLink = real !== join(folder, basename(path));
  if (isLink && root !== undefined && !isIn(root, real))
    throw new Error('it is a symbolic link that leaves the repository');
  return real;
}

/** The repository that a folder is in, or else the working directory if the folder is in that. */
function rootOf(folder: string): string | undefined {
  const cwd = process.cwd();
  return repositoryOf(folder) ?? (isIn(cwd, folder) ? cwd : undefined);
}

function repositoryOf(folder: string): string | undefined {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : repositoryOf(parent);
}

function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}
