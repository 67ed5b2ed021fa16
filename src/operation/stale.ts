import type { Plugin } from 'graphql-yoga';
import type { Loaders } from '../loaders.ts';
import { isInParts, mapParts, type Part } from './parts.ts';
import type { RequestContext } from './pipeline.ts';

/**
 * Says where an answer holds old data: what stood in for a REST call that failed is named in `extensions.stale`, with
 * its age in whole seconds. In a response in parts the last one says it.
 */
export function useStale(): Plugin<object, RequestContext> {
  return {
    onExecutionResult({ result, setResult, context: { loaders } }) {
      if (!result || !loaders) return;
      if (!isInParts(result)) return setResult(marked(result, loaders));
      setResult(mapParts(result, (part) => (part.hasNext === false ? marked(part, loaders) : part)));
    },
  };
}

function marked(part: Part, { calls }: Loaders): Part {
  const stale = calls
    .filter(({ source }) => source === 'stale')
    .map(({ path, ageMs = 0 }) => ({ path, ageSeconds: Math.round(ageMs / 1000) }));
  return stale.length > 0 ? { ...part, extensions: { ...part.extensions, stale } } : part;
}
