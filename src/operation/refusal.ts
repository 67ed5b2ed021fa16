import type { Plugin } from 'graphql-yoga';
import { keyRefused, rateLimited } from '../errors.ts';
import type { Loaders } from '../loaders.ts';
import { isInParts, type Part } from './parts.ts';
import type { RequestContext } from './pipeline.ts';

/**
 * Turns an operation whose every REST call was answered 403 into a refusal of the whole request, with the HTTP status
 * 403 and no data; likewise 429. Anything that came otherwise makes it a partial answer, which stays as it is.
 */
export function useWholeRefusal(): Plugin<object, RequestContext> {
  return {
    async onExecutionResult({ result, setResult, context: { loaders } }) {
      if (!result || !loaders) return;
      setResult(isInParts(result) ? await judgedParts(result, loaders) : (judged(loaders) ?? result));
    },
  };
}

/**
 * The first part carries the HTTP status. While no call has ended, or all that ended were refused, it waits, for the
 * next part may know better; as soon as one call had another answer, everything flows.
 */
async function judgedParts(
  parts: AsyncIterable<Part>,
  loaders: Loaders,
): Promise<Part | AsyncIterable<Part>> {
  const iterator = parts[Symbol.asyncIterator]();
  const held: Part[] = [];
  for (;;) {
    const { done, value } = await iterator.next();
    if (!done) held.push(value);
    const refusal = judged(loaders);
    if (done) return refusal ?? resumed(held, iterator);
    if (!refusal && loaders.calls.length > 0) return resumed(held, iterator);
  }
}

async function* resumed(held: readonly Part[], iterator: AsyncIterator<Part>): AsyncGenerator<Part> {
  try {
    yield* held;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

/** What to answer instead, if every call was refused. */
function judged({ calls }: Loaders): Part | undefined {
  if (calls.length === 0) return undefined;
  if (calls.every(({ status }) => status === 401 || status === 403)) return { errors: [keyRefused()] };
  if (calls.every(({ status }) => status === 429)) return { errors: [rateLimited(longestWait(calls))] };
  return undefined;
}

/** After the longest wait all of them may be tried again. */
function longestWait(calls: Loaders['calls']): number | undefined {
  const waits = calls.map(({ retryAfter }) => retryAfter).filter((wait) => wait !== undefined);
  return waits.length > 0 ? Math.max(...waits) : undefined;
}
