import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { relocated } from '../../locations.ts';
import type { Phase } from '../types.ts';
import { type IncrementalResult, isIncremental, mapResults } from './incremental.ts';

/** What the server takes instead of `JSON.stringify` for a result. */
interface Stringified extends IncrementalResult {
  stringify?(result: IncrementalResult): string;
}

/**
 * Writes the locations of errors as `relocated` computes them. The server makes every error anew as it writes a result, and
 * graphql-js would search for the locations again, in a text that is gone.
 */
export function errorLocations(): Phase {
  return { plugins: [useErrorLocations()] };
}

function useErrorLocations(): Plugin {
  return {
    onResultProcess({ result, setResult }) {
      if (Array.isArray(result)) return;
      if (isIncremental(result as IncrementalResult))
        setResult(mapResults(result as AsyncIterable<IncrementalResult>, withLocations));
      else setResult(withLocations(result as IncrementalResult));
    },
  };
}

function withLocations(part: IncrementalResult): Stringified {
  const { errors } = part;
  if (!errors) return part;
  return { ...part, stringify: (result) => JSON.stringify({ ...result, errors: errors.map(withoutMarks) }) };
}

/** The server's own marks on an error are not for the client. */
export function withoutMarks(error: GraphQLError): GraphQLError {
  const { http, unexpected, ...extensions } = error.extensions;
  return relocated(error, { extensions });
}
