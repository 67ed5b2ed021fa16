import type { GraphQLError } from 'graphql';
import type { CoreConfig } from '../config/core.ts';
import type { Context } from '../schema/builder.ts';
import { responseTooLarge } from '../schema/errors.ts';
import { relocated } from '../schema/locations.ts';
import { ResponseBudget, type ResponseLimits } from '../schema/response-budget.ts';
import { type IncrementalResult, isIncremental, mapEntries, resume, withoutMarks } from './results.ts';
import type { Phase } from './types.ts';

const MAX_MESSAGE_LENGTH = 400;

/**
 * Bounds the values, listed errors and bytes of a response. Later phases change only how it is written. The fast path
 * stops earlier: `reserve` in features/compiled/compile.ts.
 */
export function responseBounds(limits: ResponseLimits & Pick<CoreConfig, 'maxResponseBytes'>): Phase {
  return {
    async onExecutionResult({ result, setResult, context }) {
      if (!result) return;
      // An operation that is rejected before its execution has no budget yet.
      const { response = new ResponseBudget(limits) } = context as Partial<Context>;
      const bound = createBound(response, limits.maxResponseBytes);
      if (!isIncremental(result)) return setResult(resultOf(bound(result)));
      const iterator = result[Symbol.asyncIterator]();
      const first = bound((await iterator.next()).value);
      // A response that exceeds a limit by its first part is rejected as a whole.
      if (first.error) await iterator.return?.();
      setResult(first.error ? resultOf(first) : boundParts(first.result, iterator, bound, limits.maxErrors));
    },
  };
}

/** A result within the bounds, or the limit that it exceeds: then it is not sent, and nothing after it is. */
type Bounded = { result: IncrementalResult; error?: never } | { result?: never; error: GraphQLError };

type Bound = (part: IncrementalResult) => Bounded;

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

  return (part) => {
    if (response.isExceeded) return { error: responseTooLarge(maxValues, 'values') };
    const listed = list(mapEntries(part, list));
    const omittedErrors = response.omittedErrors + Math.max(errors - maxErrors, 0);
    const isLast = part.hasNext !== true;
    const result =
      isLast && omittedErrors > 0
        ? { ...listed, extensions: { ...listed.extensions, omittedErrors } }
        : listed;
    bytes += jsonBytes(result, maxBytes - bytes);
    return bytes > maxBytes ? { error: responseTooLarge(maxBytes, 'bytes') } : { result };
  };
}

export function resultOf({ result, error }: Bounded): IncrementalResult {
  return result ?? { errors: [error] };
}

/** A response that exceeds a limit by a later part ends with the error, as a part of its own. */
async function* boundParts(
  first: IncrementalResult,
  iterator: AsyncIterator<IncrementalResult>,
  bound: Bound,
  maxErrors: number,
): AsyncGenerator<IncrementalResult> {
  const pending = first.pending && new Set(first.pending.map(({ id }) => id));
  yield first;
  for await (const part of resume([], iterator)) {
    const { result, error } = bound(part);
    if (error) return yield lastPart(error, pending && [...pending].slice(0, maxErrors));
    for (const { id } of result.pending ?? []) pending?.add(id);
    for (const { id } of result.completed ?? []) pending?.delete(id ?? '');
    yield result;
  }
}

/** `pending`: the ids that end with the error; undefined in v0.1. */
function lastPart(error: GraphQLError, pending: readonly string[] | undefined): IncrementalResult {
  const errors = [withoutMarks(error)];
  return pending
    ? { completed: pending.map((id) => ({ id, errors })), hasNext: false }
    : { incremental: [{ data: null, path: [], errors }], hasNext: false };
}

/** The bytes of the JSON text of a value, in UTF-8; any number above `most` if there are more. */
export function jsonBytes(value: unknown, most: number): number {
  const least = leastOf(value, most);
  return least > most ? least : Buffer.byteLength(JSON.stringify(value));
}

/** The least characters of the JSON text, which might be gigabytes: one text may recur under many aliases. */
function leastOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : 1;
  const isList = Array.isArray(value);
  let least = 2;
  for (const one of isList ? value : Object.entries(value)) {
    const [name, inner] = isList ? ['', one] : one;
    // A field without a value is not written.
    if (inner !== undefined) least += name.length + leastOf(inner, most - least);
    if (least > most) return least;
  }
  return least;
}

/** An error in few words: GraphQL's own messages quote the request, at any length. */
function brief(error: GraphQLError): GraphQLError {
  const { message } = error;
  // Writes as one character those that JSON would write as six.
  const text = message.toWellFormed().replace(/\p{Cc}/gu, '\ufffd');
  const shortened = text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
  return shortened === message ? error : relocated(error, { message: shortened });
}
