import type { Plugin } from 'graphql-yoga';
import type { Phase, RequestContext } from '../types.ts';
import { type IncrementalResult, isIncremental, mapResults } from './incremental.ts';

/** Passes the outcome of each result on to the observer of its request. */
export function observation(): Phase {
  return { plugins: [useObserver()] };
}

function useObserver(): Plugin<object, RequestContext> {
  return {
    onResultProcess({ result, setResult, serverContext: { observer } }) {
      if (!observer || Array.isArray(result)) return;
      const record = (part: IncrementalResult): IncrementalResult => {
        for (const one of [part, ...(part.incremental ?? [])])
          observer.onResult(codesOf(one), one.data != null);
        return part;
      };
      if (isIncremental(result as IncrementalResult))
        setResult(mapResults(result as AsyncIterable<IncrementalResult>, record));
      else record(result as IncrementalResult);
    },
  };
}

function codesOf({ errors = [] }: IncrementalResult): string[] {
  return errors.map(({ extensions }) => String(extensions.code));
}
