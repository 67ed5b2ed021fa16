import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { brief, responseTooLarge, tooManyValues } from '../../errors.ts';
import type { Context } from '../../schema/builder.ts';
import { ResponseBudget, type ResponseLimits } from '../../schema/response-budget.ts';
import type { Phase } from '../types.ts';
import { type IncrementalResult, isIncremental, mapResults, resume } from './incremental.ts';
import { isJsonLarger, jsonBytes } from './json-size.ts';

/**
 * Bounds what an operation sends, whatever it selects: the values of its data (counted while they are resolved), the
 * listed errors, and the bytes, before they are written. It is the last phase that changes a result.
 */
export function responseBounds(limits: ResponseLimits, maxBytes: number): Phase {
  return {
    plugins: [useResponseBounds(limits, maxBytes)],
    // The fast path bounds the bytes while it writes them.
    passesResult: ({ response }) => !response.isExceeded,
  };
}

function useResponseBounds(limits: ResponseLimits, maxBytes: number): Plugin {
  return {
    async onExecutionResult({ result, setResult, context }) {
      if (!result) return;
      // What is refused before its execution has no budget yet.
      const { response = new ResponseBudget(limits) } = context as Partial<Context>;
      const bound = createBound(response, maxBytes);
      if (isIncremental(result)) setResult(await boundedParts(result, bound));
      else setResult(resultOf(bound(result)));
    },
  };
}

/** A result within the bounds, or the limit that it exceeds: then it is not sent, and nothing after it is. */
type Bounded = { result: IncrementalResult; error?: never } | { result?: never; error: GraphQLError };

type Bound = (whole: IncrementalResult) => Bounded;

/** Bounds a complete response, or the parts of an incremental one together. */
export function createBound(response: ResponseBudget, maxBytes: number): Bound {
  const { maxValues, maxErrors } = response.limits;
  let bytes = 0;
  let errors = 0;

  function list(part: IncrementalResult): IncrementalResult {
    if (!part.errors) return part;
    const listed = part.errors.slice(0, Math.max(maxErrors - errors, 0)).map(brief);
    errors += part.errors.length;
    const { errors: _, ...rest } = part;
    return listed.length > 0 ? { ...part, errors: listed } : rest;
  }

  return (whole) => {
    if (response.isExceeded) return { error: tooManyValues(maxValues) };
    const { incremental } = whole;
    const listed = list(incremental ? { ...whole, incremental: incremental.map(list) } : whole);
    const omittedErrors = response.omittedErrors + Math.max(errors - maxErrors, 0);
    const isLast = whole.hasNext !== true;
    const result =
      isLast && omittedErrors > 0
        ? { ...listed, extensions: { ...listed.extensions, omittedErrors } }
        : listed;
    if (isJsonLarger(result, maxBytes - bytes)) return { error: responseTooLarge(maxBytes) };
    if (!isLast) bytes += jsonBytes(result, maxBytes);
    return { result };
  };
}

function resultOf({ result, error }: Bounded): IncrementalResult {
  return result ?? { errors: [error] };
}

/** Once parts were sent, the error is a part of its own. */
function laterPartOf({ result, error }: Bounded): IncrementalResult {
  return result ?? { incremental: [{ data: null, path: [], errors: [error] }], hasNext: false };
}

/** Refuses a response that exceeds a limit by its first part; one that exceeds it later ends with an error. */
async function boundedParts(
  parts: AsyncIterable<IncrementalResult>,
  bound: Bound,
): Promise<IncrementalResult | AsyncIterable<IncrementalResult>> {
  const iterator = mapUntilError(parts, bound);
  const first = await iterator.next();
  if (first.value?.error) {
    await iterator.return();
    return resultOf(first.value);
  }
  return mapResults(resume(first.done ? [] : [first.value], iterator), laterPartOf);
}

async function* mapUntilError(
  parts: AsyncIterable<IncrementalResult>,
  bound: Bound,
): AsyncGenerator<Bounded, void> {
  for await (const part of parts) {
    const bounded = bound(part);
    yield bounded;
    if (bounded.error) return;
  }
}
