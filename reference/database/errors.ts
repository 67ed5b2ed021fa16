import { codeFromError, messageFromError } from '../command-line.ts';

/** The database cannot be used. The message names the setting and contains no password. */
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

/** The error for a failed opening. Without `cause`: the error of an invalid URL holds the URL, with its password. */
export function openError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  return new DatabaseError(`REFERENCE_DATABASE_URL cannot be opened: ${messageFromError(error)}`);
}
