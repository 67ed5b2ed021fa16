import { accessSync, closeSync, constants, mkdirSync, openSync, readlinkSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeFromError } from '../command-line.ts';
import { type Explanation, missingDatabaseError } from './errors.ts';

const OWNER_ONLY = 0o600;

/**
 * Creates the file and its folder if needed. A new file has the mode 0600, which SQLite also gives its `-wal`
 * and `-shm`; an existing one keeps its mode. Throws where the file cannot be both read and written.
 */
export function createDatabaseFile(path: string): void {
  createFolder(dirname(path));
  createFile(path);
  accessSync(path, constants.R_OK | constants.W_OK);
}

/** Throws where the file does not exist, or cannot be both read and written. */
export function checkFile(path: string): void {
  if (!statOf(path)) throw missingDatabaseError(`there is no file ${path}`);
  accessSync(path, constants.R_OK | constants.W_OK);
}

/** The cause and remedy for an error on opening this file. */
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

/** `mkdir` with `recursive` never returns for a path below `/proc`. */
function createFolder(path: string): void {
  if (statOf(path)?.isDirectory()) return;
  createFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (codeFromError(error) !== 'EEXIST' || !statOf(path)?.isDirectory()) throw error;
  }
}

/**
 * Never opens an existing file: closing it would release the locks that this process holds on it (fcntl(2)),
 * those of another server included.
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

/** The nearest existing ancestor of the path, if it is not a folder. */
function fileAbove(path: string): string | undefined {
  const above = dirname(path);
  const stat = statOf(above);
  if (stat) return stat.isDirectory() ? undefined : above;
  return above === path ? undefined : fileAbove(above);
}

/** Undefined for any error. */
function statOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
