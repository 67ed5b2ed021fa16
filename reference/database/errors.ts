import { codeFromError, messageFromError } from '../command-line.ts';

/** The database cannot be used. The message names the setting and a remedy, and contains no credentials. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}

/** Postgres (classes 08, 57P) or the network ends or rejects a connection; `pg` reports it without a code. */
const LOST =
  /^(08...|57P..|ECONNRESET|EPIPE|ETIMEDOUT) | (Connection terminated|Client has encountered a connection error)/;

/** Whether the database could not be reached, or closed the connection: then the request may be repeated. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DatabaseError || LOST.test(`${codeFromError(error)} ${messageFromError(error)}`);
}

export type Explanation = readonly [cause: string, remedy: string];

/** The error for a failed opening. `explain` gets the code of `error`, possibly empty, and its message. */
export function openError(
  error: unknown,
  explain: (code: string, message: string) => Explanation,
): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const [cause, remedy] = explain(codeFromError(error), messageFromError(error));
  // Without `cause`: the error of an invalid URL holds the URL, with its password.
  return new DatabaseError(`REFERENCE_DATABASE_URL cannot be opened: ${cause}; ${remedy}`);
}

/** The error of a command that needs an existing database. */
export function missingDatabaseError(cause: string): DatabaseError {
  const remedy = 'start the server on it once, or set the database that the server uses';
  return new DatabaseError(`REFERENCE_DATABASE_URL names no database of the reference: ${cause}; ${remedy}`);
}
