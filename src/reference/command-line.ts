/** What a process ends with when it failed, and when its arguments ask for nothing there is. */
export const FAILED = 1;
export const MISUSED = 2;

/** Says a line each on the standard error; the process ends with this code once it has nothing left to do. */
export function fail(code: number, ...messages: string[]): void {
  for (const message of messages) console.error(message);
  process.exitCode = code;
}

/** What a person is told of an error. */
export function messageFromError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Where a name has several addresses, and none of them answers, Node's error has a code and no message.
  return error.message || codeFromError(error) || error.name;
}

/** Node's code of an error; empty where it has none. */
export function codeFromError(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
