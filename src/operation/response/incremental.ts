import type { ExecutionResult } from 'graphql';

/** One part of a response that is sent in parts (`@defer`, `@stream`); a response sent whole is its only part. */
export interface IncrementalResult extends ExecutionResult {
  incremental?: readonly IncrementalResult[];
  /** Of the field that a later part belongs to. */
  path?: readonly (string | number)[];
  hasNext?: boolean;
}

export function isIncremental<T extends object>(result: T | AsyncIterable<T>): result is AsyncIterable<T> {
  return Symbol.asyncIterator in result;
}

/** Maps every part; an early return ends the source. */
export async function* mapResults<T>(
  parts: AsyncIterable<T>,
  change: (part: T) => IncrementalResult,
): AsyncGenerator<IncrementalResult> {
  for await (const part of parts) yield change(part);
}

/** The parts that were taken from the iterator already, then the rest of it; an early return ends the iterator. */
export async function* resume<T>(held: readonly T[], iterator: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    yield* held;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
