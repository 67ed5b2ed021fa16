import type { ExecutionResult, GraphQLError } from 'graphql';
import { relocated } from '../schema/locations.ts';
import type { Phase } from './types.ts';

/**
 * One part of a response that is sent in parts (`@defer`, `@stream`), or one entry of it; a whole response is its
 * only part. In v0.1 an entry names its place by `path`, in v0.2 by the `id` of what was announced as `pending`.
 */
export interface IncrementalResult extends ExecutionResult {
  incremental?: readonly IncrementalResult[];
  /** v0.2: what later parts will add to, and what they will add nothing to any more, with the errors why. */
  pending?: readonly Required<Pick<IncrementalResult, 'id' | 'path'>>[];
  completed?: readonly IncrementalResult[];
  id?: string;
  /** Of the field that an entry belongs to. */
  path?: readonly (string | number)[];
  hasNext?: boolean;
  /** Absent: the server writes the part by `JSON.stringify`. */
  stringify?(result: IncrementalResult): string;
}

export type Result = IncrementalResult | AsyncIterable<IncrementalResult>;

export function isIncremental<T extends object>(result: T | AsyncIterable<T>): result is AsyncIterable<T> {
  return Symbol.asyncIterator in result;
}

export function mapParts(result: Result, change: (part: IncrementalResult) => IncrementalResult): Result {
  return isIncremental(result) ? mapEach(result, change) : change(result);
}

/** The entries of a part, each of which can have errors of its own. */
export function entriesOf({ incremental = [], completed = [] }: IncrementalResult): IncrementalResult[] {
  return [...incremental, ...completed];
}

export function mapEntries(
  part: IncrementalResult,
  change: (entry: IncrementalResult) => IncrementalResult,
): IncrementalResult {
  const { incremental, completed } = part;
  if (!incremental && !completed) return part;
  return {
    ...part,
    ...(incremental && { incremental: incremental.map(change) }),
    ...(completed && { completed: completed.map(change) }),
  };
}

/** An early return ends the source. */
export async function* mapEach<T, U>(parts: AsyncIterable<T>, change: (part: T) => U): AsyncGenerator<U> {
  for await (const part of parts) yield change(part);
}

/** The parts that were taken from the iterator already, then the rest; an early return ends the iterator. */
export async function* resume<T>(held: readonly T[], iterator: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    yield* held;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

/** The server makes every error anew as it writes it: graphql-js would search a text that is gone for the locations. */
export const errorLocations: Phase = {
  onResultProcess({ result, setResult }) {
    setResult(
      mapParts(result as Result, (part) => {
        const { errors } = part;
        if (!errors) return part;
        return {
          ...part,
          stringify: (result) => JSON.stringify({ ...result, errors: errors.map(withoutMarks) }),
        };
      }),
    );
  },
};

/** The server's own marks on an error are not for the client. */
export function withoutMarks(error: GraphQLError): GraphQLError {
  const { http, unexpected, ...extensions } = error.extensions;
  return relocated(error, { extensions });
}

/** Leaves fields of all responses to the HTTP layer. With `x-accel-buffering` nginx passes each part on at once. */
export const plainFields: Phase = {
  onResponse({ response: { headers } }) {
    if (/^(multipart|text)\//.test(headers.get('content-type') ?? '')) headers.set('x-accel-buffering', 'no');
    headers.delete('cache-control');
    // The server does not know whether the connection stays open, nor the version of the client's HTTP.
    headers.delete('connection');
    headers.delete('transfer-encoding');
  },
};
