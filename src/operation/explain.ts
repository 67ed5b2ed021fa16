import type { Plugin } from 'graphql-yoga';
import type { Loaders } from '../loaders.ts';
import { isInParts, mapParts, type Part } from './parts.ts';
import type { RequestContext } from './pipeline.ts';

/**
 * Shows what an operation cost: with the request header `x-explain: report` the response, or its last part, carries
 * every REST call that it needed in `extensions.upstream`, and how many of those it may make it did.
 */
export function useExplain(): Plugin<object, RequestContext> {
  return {
    onExecutionResult({ request, result, setResult, context: { loaders } }) {
      if (!result || !loaders || request.headers.get('x-explain') !== 'report') return;
      setResult(
        isInParts(result)
          ? mapParts(result, (part) => (part.hasNext === false ? reported(part, loaders) : part))
          : reported(result, loaders),
      );
    },
  };
}

function reported(part: Part, { calls, budget: { spent, limit } }: Loaders): Part {
  const upstream = { calls, budget: { spent, limit } };
  return { ...part, extensions: { ...part.extensions, upstream } };
}
