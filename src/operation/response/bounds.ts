import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { brief, responseTooLarge, tooManyValues } from '../../errors.ts';
import type { Context } from '../../schema/builder.ts';
import { ResponseBudget, type ResponseLimits } from '../../schema/response-budget.ts';
import type { Phase } from '../types.ts';
import { type IncrementalResult, isIncremental } from './incremental.ts';
import { isJsonLarger, jsonBytes } from './json-size.ts';

/**
 * Bounds what an operation sends, whatever it selects: the values of its data (counted while they are resolved), the
 * listed errors, and the bytes, before they are written. It is the last phase that changes a result.
 */
export function responseBounds(limits: ResponseLimits, maxBytes: number): Phase {
  return {
    plugins: [useResponseBounds(limits, maxBytes)],
    passesResult: (result, { response }) => !response.isExceeded && !isJsonLarger(result, maxBytes),
  };
}

function useResponseBounds(limits: ResponseLimits, maxBytes: number): Plugin {
  return {
    async onExecutionResult({ result, setResult, context }) {
      if (!result) return;
      // What is refused before its execution has no budget yet.
      const { response = new ResponseBudget(limits) } = context as Partial<Context>;
      if (isIncremental(result)) setResult(await boundedParts(result, response, maxBytes));
      else setResult(bounded(result, response, maxBytes));
    },
  };
}

function bounded(result: IncrementalResult, response: ResponseBudget, maxBytes: number): IncrementalResult {
  if (response.isExceeded) return { errors: [tooManyValues(response.limits.maxValues)] };
  const listed = listing(response)(result);
  const omitted = omittedIn(result, response);
  const answer = omitted === 0 ? listed : withOmitted(listed, omitted);
  return isJsonLarger(answer, maxBytes) ? { errors: [responseTooLarge(maxBytes)] } : answer;
}

function omittedIn({ errors = [] }: IncrementalResult, { limits, omittedErrors }: ResponseBudget): number {
  return omittedErrors + Math.max(errors.length - limits.maxErrors, 0);
}

function withOmitted(part: IncrementalResult, omittedErrors: number): IncrementalResult {
  return { ...part, extensions: { ...part.extensions, omittedErrors } };
}

/** Lists the first errors of a result, or of its parts together. */
function listing({ limits: { maxErrors } }: ResponseBudget): (part: IncrementalResult) => IncrementalResult {
  let left = maxErrors;
  return (part) => {
    if (!part.errors) return part;
    const { errors, ...rest } = part;
    const listed = errors.slice(0, left).map(brief);
    left -= listed.length;
    return listed.length > 0 ? { ...part, errors: listed } : rest;
  };
}

/** Refuses a response that exceeds a limit by its first part; one that exceeds it later ends with an error. */
async function boundedParts(
  parts: AsyncIterable<IncrementalResult>,
  response: ResponseBudget,
  maxBytes: number,
): Promise<IncrementalResult | AsyncIterable<IncrementalResult>> {
  const iterator = parts[Symbol.asyncIterator]();
  const bound = createPartBound(response, maxBytes);
  const first = await iterator.next();
  if (first.done) return resumed([], iterator, bound);
  const { part, error } = bound(first.value);
  if (!error) return resumed([part], iterator, bound);
  await iterator.return?.();
  return { errors: [error] };
}

interface BoundedPart {
  part: IncrementalResult;
  /** The limit that this part exceeds: it is not sent, and no further part is. */
  error?: GraphQLError;
}

function createPartBound(
  response: ResponseBudget,
  maxBytes: number,
): (part: IncrementalResult) => BoundedPart {
  const list = listing(response);
  let bytes = 0;
  let errors = 0;
  return (whole) => {
    if (response.isExceeded) return { part: whole, error: tooManyValues(response.limits.maxValues) };
    const { incremental } = whole;
    const listed = list(incremental ? { ...whole, incremental: incremental.map(list) } : whole);
    for (const each of [whole, ...(incremental ?? [])]) errors += each.errors?.length ?? 0;
    const omitted = response.omittedErrors + Math.max(errors - response.limits.maxErrors, 0);
    const part = whole.hasNext === false && omitted > 0 ? withOmitted(listed, omitted) : listed;
    bytes += jsonBytes(part, maxBytes);
    return bytes > maxBytes ? { part, error: responseTooLarge(maxBytes) } : { part };
  };
}

async function* resumed(
  held: readonly IncrementalResult[],
  iterator: AsyncIterator<IncrementalResult>,
  bound: (part: IncrementalResult) => BoundedPart,
): AsyncGenerator<IncrementalResult> {
  try {
    yield* held;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      const { part, error } = bound(next.value);
      yield error ? { incremental: [{ data: null, path: [], errors: [error] }], hasNext: false } : part;
      if (error) return;
    }
  } finally {
    await iterator.return?.();
  }
}
