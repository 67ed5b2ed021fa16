import type { Plugin } from 'graphql-yoga';
import { badRequest } from '../../errors.ts';
import type { Loaders } from '../../loaders.ts';
import { type IncrementalResult, isIncremental, mapResults } from '../response/incremental.ts';
import type { Phase, RequestContext } from '../types.ts';

/**
 * Reports what an operation cost: with the request header `x-explain: report` the response, or its last part, lists
 * every REST call that it needed in `extensions.upstream`, and the call budget.
 */
export function explainReport(): Phase {
  return { plugins: [useReport()] };
}

function useReport(): Plugin<object, RequestContext> {
  return {
    onExecutionResult({ request, result, setResult, context: { loaders } }) {
      if (!result || !loaders || request.headers.get('x-explain') !== 'report') return;
      setResult(
        isIncremental(result)
          ? mapResults(result, (part) => (part.hasNext === false ? reported(part, loaders) : part))
          : reported(result, loaders),
      );
    },
  };
}

const words = ['plan', 'report'];

/** Refuses a request with another `x-explain` than `plan` and `report`. An empty field counts as absent. */
export function explainHeader(): Phase {
  return {
    plugins: [useExplainHeader()],
    passesHeaders: (headers) => headers['x-explain'] === undefined,
  };
}

function useExplainHeader(): Plugin {
  return {
    onParams({ request }) {
      const word = request.headers.get('x-explain');
      if (word && !words.includes(word)) {
        throw badRequest('The header x-explain must be "plan" or "report".', 400);
      }
    },
  };
}

function reported(part: IncrementalResult, { calls, budget: { used, limit } }: Loaders): IncrementalResult {
  const upstream = { calls, budget: { spent: used, limit } };
  return { ...part, extensions: { ...part.extensions, upstream } };
}
