/** Exit codes: the command failed, or its arguments are wrong. */
export const FAILED = 1;
export const MISUSED = 2;

/** Prints each message to standard error. The process exits with `code` once its event loop is empty. */
export function fail(code: number, ...messages: string[]): void {
  for (const message of messages) console.error(message);
  process.exitCode = code;
}

/** The text to print for an error. */
export function messageFromError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node's AggregateError for a name with several addresses has a code and an empty message.
  return error.message || codeFromError(error) || error.name;
}

/** Node's code of an error, or an empty string. */
export function codeFromError(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
