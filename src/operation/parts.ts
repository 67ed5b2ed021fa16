import type { ExecutionResult } from 'graphql';

/** One part of a response that is sent in parts (`@defer`, `@stream`); a response sent whole is its only part. */
export interface Part extends ExecutionResult {
  incremental?: readonly Part[];
  /** Of the field that a later part belongs to. */
  path?: readonly (string | number)[];
  hasNext?: boolean;
}

export function isInParts<T extends object>(result: T | AsyncIterable<T>): result is AsyncIterable<T> {
  return Symbol.asyncIterator in result;
}

/** Changes every part on its way out; leaving early ends the source. */
export async function* mapParts(
  parts: AsyncIterable<Part>,
  change: (part: Part) => Part,
): AsyncGenerator<Part> {
  for await (const part of parts) yield change(part);
}
