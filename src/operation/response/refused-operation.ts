import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { keyRefused, rateLimited } from '../../errors.ts';
import type { Loaders } from '../../loaders.ts';
import type { Phase, RequestContext } from '../types.ts';
import { type IncrementalResult, isIncremental, resume } from './incremental.ts';

/**
 * Refuses an operation whose every REST call was answered 403, with the HTTP status 403 and no data; likewise 429. With any
 * other outcome of a call the response is partial, and stays as it is.
 */
export function refusedOperation(): Phase {
  return {
    plugins: [useRefusedOperation()],
    passesResult: ({ loaders }) => loaders.calls.every(({ status }) => status === 200 || status === 404),
  };
}

function useRefusedOperation(): Plugin<object, RequestContext> {
  return {
    async onExecutionResult({ result, setResult, context: { loaders } }) {
      if (!result || !loaders) return;
      setResult(
        isIncremental(result) ? await refusedIncremental(result, loaders) : (refusalOf(loaders) ?? result),
      );
    },
  };
}

/**
 * The first part carries the HTTP status. While no call has ended, or every call that ended was refused, it is held back:
 * a later part may show another outcome. As soon as one call has another outcome, all parts are sent.
 */
async function refusedIncremental(
  parts: AsyncIterable<IncrementalResult>,
  loaders: Loaders,
): Promise<IncrementalResult | AsyncIterable<IncrementalResult>> {
  const iterator = parts[Symbol.asyncIterator]();
  const held: IncrementalResult[] = [];
  for (;;) {
    const { done, value } = await iterator.next();
    if (!done) held.push(value);
    const refusal = refusalOf(loaders);
    if (done) return refusal ?? resume(held, iterator);
    if (!refusal && loaders.calls.length > 0) return resume(held, iterator);
  }
}

/** The response instead, where every call was refused. */
function refusalOf(loaders: Loaders): IncrementalResult | undefined {
  const error = refusalErrorOf(loaders);
  return error && { errors: [error] };
}

/** The error of an operation whose every call was refused; undefined for another one. */
export function refusalErrorOf({ calls }: Pick<Loaders, 'calls'>): GraphQLError | undefined {
  if (calls.length === 0) return undefined;
  if (calls.every(({ status }) => status === 401 || status === 403)) return keyRefused();
  if (calls.every(({ status }) => status === 429)) return rateLimited(longestWait(calls));
  return undefined;
}

/** After the longest wait all of them may be tried again. */
function longestWait(calls: Loaders['calls']): number | undefined {
  const waits = calls.map(({ retryAfter }) => retryAfter).filter((wait) => wait !== undefined);
  return waits.length > 0 ? Math.max(...waits) : undefined;
}
