import { accessSync, closeSync, constants, mkdirSync, openSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeFromError } from './command-line.ts';
import { absentError, type Explanation } from './database-error.ts';

const OWNER_ONLY = 0o600;

/**
 * Makes the file of a database, and its folder, where there is none. Only the owner can read a file made here, and
 * SQLite gives its `-wal` and `-shm` the same mode. A file that exists keeps its mode. Throws where the file cannot
 * be both read and written.
 */
export function makeFile(path: string): void {
  makeFolder(dirname(path));
  createFile(path);
  accessSync(path, constants.R_OK | constants.W_OK);
}

/** Throws a `DatabaseError` where there is no file, and where it cannot be both read and written. */
export function expectFile(path: string): void {
  if (!statOf(path)) throw absentError(`there is no file ${path}`);
  accessSync(path, constants.R_OK | constants.W_OK);
}

/** What an error means that came of opening this file. */
export function explainFile(path: string, code: string, message: string): Explanation {
  const obstacle = fileAbove(path);
  if (obstacle !== undefined) return [`${obstacle} is a file, not a folder`, 'set another path'];
  if (statOf(path)?.isDirectory()) return [`${path} is a folder`, 'set the path of a file'];
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM)/.test(code)) {
    return [
      `no permission to create, read and write ${path}`,
      'give this user that permission, or set another path',
    ];
  }
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(code)) {
    return [`no space left for ${path}`, 'free some, or set another path'];
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return [`another process holds the lock of ${path}`, 'stop it, or try again when it is done'];
  }
  if (code === 'SQLITE_NOTADB') return [`${path} is not a SQLite database`, 'set another path'];
  if (!statOf(path)) return [`${path} cannot be created (${code || message})`, 'set another path'];
  return [`${path}: ${message}`, 'set another path, or restore the file from a backup'];
}

/** `mkdir` with `recursive` never returns where a folder exists and takes no entries, as `/proc` does. */
function makeFolder(path: string): void {
  if (statOf(path)?.isDirectory()) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (codeFromError(error) !== 'EEXIST' || !statOf(path)?.isDirectory()) throw error;
  }
}

/**
 * An existing file is not even opened: closing it would drop the locks that this process holds on it (fcntl(2)), and
 * with them those of another server here.
 */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch (error) {
    if (codeFromError(error) !== 'EEXIST') throw error;
    // `wx` does not follow a symbolic link whose target does not exist yet.
    if (!statSync(path, { throwIfNoEntry: false })) createFile(resolve(dirname(path), readlinkSync(path)));
  }
}

/** The nearest thing above the path that exists, where that is no folder. */
function fileAbove(path: string): string | undefined {
  const above = dirname(path);
  const stat = statOf(above);
  if (stat) return stat.isDirectory() ? undefined : above;
  return above === path ? undefined : fileAbove(above);
}

/** Undefined where nothing can be found, for whatever reason. */
function statOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
