import type { Plugin } from 'graphql-yoga';
import { badRequest } from '../errors.ts';
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

const words = ['plan', 'report'];

/**
 * Refuses a request whose `x-explain` is another word than the two that mean something. An empty field is as none.
 */
export function useKnownExplain(): Plugin {
  return {
    onParams({ request }) {
      const word = request.headers.get('x-explain');
      if (word && !words.includes(word)) {
        throw badRequest('The header x-explain must be "plan" or "report".', 400);
      }
    },
  };
}

function reported(part: Part, { calls, budget: { spent, limit } }: Loaders): Part {
  const upstream = { calls, budget: { spent, limit } };
  return { ...part, extensions: { ...part.extensions, upstream } };
}
