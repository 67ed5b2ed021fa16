import type { Plugin } from 'graphql-yoga';
import type { Loaders } from '../../loaders.ts';
import type { Phase, RequestContext } from '../types.ts';
import { type IncrementalResult, isIncremental, mapResults } from './incremental.ts';

/**
 * Lists stale data in `extensions.stale`: the path of each REST call that failed and was answered from the cache, with the
 * age in whole seconds. In a response in parts the last part has the list.
 */
export function staleData(): Phase {
  return {
    plugins: [useStale()],
    passesResult: ({ loaders }) => loaders.calls.every(({ source }) => source !== 'stale'),
  };
}

function useStale(): Plugin<object, RequestContext> {
  return {
    onExecutionResult({ result, setResult, context: { loaders } }) {
      if (!result || !loaders) return;
      if (!isIncremental(result)) return setResult(marked(result, loaders));
      setResult(mapResults(result, (part) => (part.hasNext === false ? marked(part, loaders) : part)));
    },
  };
}

function marked(part: IncrementalResult, { calls }: Loaders): IncrementalResult {
  const stale = calls
    .filter(({ source }) => source === 'stale')
    .map(({ path, ageMs = 0 }) => ({ path, ageSeconds: Math.round(ageMs / 1000) }));
  return stale.length > 0 ? { ...part, extensions: { ...part.extensions, stale } } : part;
}
