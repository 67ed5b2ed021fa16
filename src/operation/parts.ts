import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { ErrorMask } from '../errors.ts';

/** One part of a response that is sent in parts (`@defer`, `@stream`); a response sent whole is its only part. */
export interface Part extends ExecutionResult {
  incremental?: readonly Part[];
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

/** Masks the errors of later parts: the server itself masks those of the first alone. */
export function useMaskedParts(mask: ErrorMask): Plugin {
  return {
    onExecute: () => ({
      onExecuteDone({ result, setResult }) {
        if (isInParts(result)) setResult(mapParts(result, (part) => masked(part, mask)));
      },
    }),
  };
}

function masked(part: Part, mask: ErrorMask): Part {
  if (!part.incremental) return part;
  const withMask = ({ errors, ...later }: Part): Part =>
    errors ? { ...later, errors: errors.map((error) => unmarked(mask(error, 'Unexpected error.'))) } : later;
  return { ...part, incremental: part.incremental.map(withMask) };
}

/** The server's own marks on an error, which it takes off in the first part only, are not for the caller. */
function unmarked(error: GraphQLError): GraphQLError {
  const { message, nodes = null, source, positions, path } = error;
  const { http, unexpected, ...extensions } = error.extensions;
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}
