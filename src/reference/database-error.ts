import { codeFromError, messageFromError } from './command-line.ts';

/** The database cannot be used. The message names the setting and a remedy, and holds no user and no password. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}

/** A cause in words, and what to do about it. */
export type Explanation = readonly [cause: string, remedy: string];

/**
 * The error to reject with where opening failed with `error`. `explain` gets its code, which is empty where it has
 * none, and its message.
 */
export function openError(
  error: unknown,
  explain: (code: string, message: string) => Explanation,
): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const [cause, remedy] = explain(codeFromError(error), messageFromError(error));
  // No `cause` is attached: an invalid URL is a property of its error, with the password.
  return new DatabaseError(`REFERENCE_DATABASE_URL cannot be opened: ${cause}; ${remedy}`);
}

/** The error of a command that uses a database and creates none. */
export function absentError(cause: string): DatabaseError {
  const remedy = 'start the server on it once, or set the database that the server uses';
  return new DatabaseError(`REFERENCE_DATABASE_URL names no database of the reference: ${cause}; ${remedy}`);
}
