import type { GraphQLError } from 'graphql';
import { UpstreamForbidden, UpstreamRateLimited } from '../rest/errors.ts';
import { rejectionFor } from '../schema/errors.ts';
import type { OperationCalls } from '../schema/loaders.ts';
import { type IncrementalResult, isIncremental, type Result, resume } from './results.ts';
import type { Phase } from './types.ts';

/** Rejects an operation whose every REST call was answered 401 or 403, with 403 and no data; likewise 429. */
export const rejectedOperation: Phase = {
  async onExecutionResult({ result, setResult, context: { calls } }) {
    if (!result || !calls) return;
    setResult(isIncremental(result) ? await rejectParts(result, calls) : rejectionOf(calls, result));
  },
};

/** Holds the parts back, whose first carries the HTTP status, until a call has another outcome than a rejection. */
async function rejectParts(parts: AsyncIterable<IncrementalResult>, calls: OperationCalls): Promise<Result> {
  const iterator = parts[Symbol.asyncIterator]();
  const held: IncrementalResult[] = [];
  for (;;) {
    const { done, value } = await iterator.next();
    if (!done) held.push(value);
    if (done) return rejectionOf(calls, resume(held, iterator));
    if (calls.ended.length > 0 && !rejectionErrorOf(calls.ended)) return resume(held, iterator);
  }
}

function rejectionOf({ ended }: OperationCalls, result: Result): Result {
  const error = rejectionErrorOf(ended);
  return error ? { errors: [error] } : result;
}

/** The error of an operation whose every call was rejected; undefined for another one. */
export function rejectionErrorOf(calls: OperationCalls['ended']): GraphQLError | undefined {
  if (calls.length === 0) return undefined;
  if (calls.every(({ status }) => status === 401 || status === 403))
    return rejectionFor(new UpstreamForbidden(), 403);
  if (!calls.every(({ status }) => status === 429)) return undefined;
  const waits = calls.flatMap(({ retryAfter }) => retryAfter ?? []);
  // After the longest wait all of them may be tried again.
  return rejectionFor(new UpstreamRateLimited(waits.length > 0 ? Math.max(...waits) : undefined), 429);
}
