import type { DocumentNode, ExecutionResult, GraphQLError } from 'graphql';
import {
  brief,
  type ErrorMask,
  keyRejected,
  rateLimited,
  responseTooLarge,
  tooManyValues,
} from '../errors.ts';
import type { OperationCalls } from '../loaders.ts';
import { relocated } from '../locations.ts';
import type { Context } from '../schema/builder.ts';
import { ResponseBudget, type ResponseLimits } from '../schema/response-budget.ts';
import type { Phase, RequestContext } from './types.ts';

/** One part of a response that is sent in parts (`@defer`, `@stream`); a whole response is its only part. */
interface IncrementalResult extends ExecutionResult {
  incremental?: readonly IncrementalResult[];
  /** Of the field that a later part belongs to. */
  path?: readonly (string | number)[];
  hasNext?: boolean;
  /** Absent: the server writes the part by `JSON.stringify`. */
  stringify?(result: IncrementalResult): string;
}

type Result = IncrementalResult | AsyncIterable<IncrementalResult>;

export function isIncremental<T extends object>(result: T | AsyncIterable<T>): result is AsyncIterable<T> {
  return Symbol.asyncIterator in result;
}

/** Changes a complete response, or each part of an incremental one. */
export function mapParts(result: Result, change: (part: IncrementalResult) => IncrementalResult): Result {
  return isIncremental(result) ? mapEach(result, change) : change(result);
}

/** An early return ends the source. */
async function* mapEach<T, U>(parts: AsyncIterable<T>, change: (part: T) => U): AsyncGenerator<U> {
  for await (const part of parts) yield change(part);
}

/** The parts that were taken from the iterator already, then the rest; an early return ends the iterator. */
async function* resume<T>(held: readonly T[], iterator: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    yield* held;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

/** Masks the errors of later parts: the server masks those of the first part only. */
export function maskedIncremental(mask: ErrorMask): Phase {
  const masked = ({ errors, ...part }: IncrementalResult): IncrementalResult =>
    errors
      ? { ...part, errors: errors.map((error) => withoutMarks(mask(error, 'Unexpected error.'))) }
      : part;
  return {
    onExecute: () => ({
      onExecuteDone({ result, setResult }) {
        if (!isIncremental(result)) return;
        setResult(
          mapEach(result, (part: IncrementalResult) =>
            part.incremental ? { ...part, incremental: part.incremental.map(masked) } : part,
          ),
        );
      },
    }),
  };
}

/**
 * Rejects an operation whose every REST call was answered 403, with the HTTP status 403 and no data; likewise
 * 429. With any other outcome of a call the response is partial, and stays as it is.
 */
export const rejectedOperation: Phase = {
  async onExecutionResult({ result, setResult, context: { calls } }) {
    if (!result || !calls) return;
    setResult(isIncremental(result) ? await rejectedParts(result, calls) : (rejectionOf(calls) ?? result));
  },
  passesResult: ({ ended }) =>
    ended.every(({ status }) => status === 200 || status === 404 || status === 410),
};

/**
 * The first part carries the HTTP status. While no call has ended, or every call that ended was rejected, it
 * is held back: a later part may show another outcome. As soon as one call has another outcome, all parts are
 * sent.
 */
async function rejectedParts(
  parts: AsyncIterable<IncrementalResult>,
  calls: OperationCalls,
): Promise<Result> {
  const iterator = parts[Symbol.asyncIterator]();
  const held: IncrementalResult[] = [];
  for (;;) {
    const { done, value } = await iterator.next();
    if (!done) held.push(value);
    const rejection = rejectionOf(calls);
    if (done) return rejection ?? resume(held, iterator);
    if (!rejection && calls.ended.length > 0) return resume(held, iterator);
  }
}

/** The response instead, where every call was rejected. */
function rejectionOf({ ended }: OperationCalls): IncrementalResult | undefined {
  const error = rejectionErrorOf(ended);
  return error && { errors: [error] };
}

/** The error of an operation whose every call was rejected; undefined for another one. */
export function rejectionErrorOf(calls: OperationCalls['ended']): GraphQLError | undefined {
  if (calls.length === 0) return undefined;
  if (calls.every(({ status }) => status === 401 || status === 403)) return keyRejected();
  if (!calls.every(({ status }) => status === 429)) return undefined;
  const waits = calls.flatMap(({ retryAfter }) => retryAfter ?? []);
  // After the longest wait all of them may be tried again.
  return rateLimited(waits.length > 0 ? Math.max(...waits) : undefined);
}

/**
 * Lists stale data in `extensions.stale`: the path of each REST call that failed and was answered from the
 * cache, with the age in whole seconds. In a response in parts the last part has the list.
 */
export const staleData: Phase = {
  onExecutionResult({ result, setResult, context: { calls } }) {
    if (!result || !calls) return;
    setResult(
      mapParts(result, (part) => {
        const stale = calls.ended
          .filter(({ source }) => source === 'stale')
          .map(({ path, ageMs = 0 }) => ({ path, ageSeconds: Math.round(ageMs / 1000) }));
        const isMarked = part.hasNext !== true && stale.length > 0;
        return isMarked ? { ...part, extensions: { ...part.extensions, stale } } : part;
      }),
    );
  },
  passesResult: ({ ended }) => ended.every(({ source }) => source !== 'stale'),
};

/**
 * Bounds what an operation sends, whatever it selects: the values of its data (counted while they are
 * resolved), the listed errors, and the bytes, before they are written. It is the last phase that changes a
 * result.
 */
export function responseBounds(limits: ResponseLimits, maxBytes: number): Phase {
  return {
    async onExecutionResult({ result, setResult, context }) {
      if (!result) return;
      // An operation that is rejected before its execution has no budget yet.
      const { response = new ResponseBudget(limits) } = context as Partial<Context>;
      const bound = createBound(response, maxBytes);
      if (!isIncremental(result)) return setResult(resultOf(bound(result)));
      const iterator = result[Symbol.asyncIterator]();
      const first = bound((await iterator.next()).value);
      // A response that exceeds a limit by its first part is rejected as a whole.
      if (first.error) await iterator.return?.();
      setResult(first.error ? resultOf(first) : boundedParts(first.result, iterator, bound));
    },
    // The fast path bounds the bytes while it writes them.
    passesResult: (_, response) => !response.isExceeded,
  };
}

/** A result within the bounds, or the limit that it exceeds: then it is not sent, and nothing after it is. */
type Bounded = { result: IncrementalResult; error?: never } | { result?: never; error: GraphQLError };

type Bound = (part: IncrementalResult) => Bounded;

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

  return (part) => {
    if (response.isExceeded) return { error: tooManyValues(maxValues) };
    const { incremental } = part;
    const listed = list(incremental ? { ...part, incremental: incremental.map(list) } : part);
    const omittedErrors = response.omittedErrors + Math.max(errors - maxErrors, 0);
    const isLast = part.hasNext !== true;
    const result =
      isLast && omittedErrors > 0
        ? { ...listed, extensions: { ...listed.extensions, omittedErrors } }
        : listed;
    bytes += jsonBytes(result, maxBytes - bytes);
    return bytes > maxBytes ? { error: responseTooLarge(maxBytes) } : { result };
  };
}

/** A complete result: the error in place of one that exceeds a limit. */
export function resultOf({ result, error }: Bounded): IncrementalResult {
  return result ?? { errors: [error] };
}

/** A response that exceeds a limit by a later part ends with the error, as a part of its own. */
async function* boundedParts(
  first: IncrementalResult,
  iterator: AsyncIterator<IncrementalResult>,
  bound: Bound,
): AsyncGenerator<IncrementalResult> {
  yield first;
  for await (const part of resume([], iterator)) {
    const { result, error } = bound(part);
    yield result ?? { incremental: [{ data: null, path: [], errors: [error] }], hasNext: false };
    if (error) return;
  }
}

/**
 * Writes the locations of errors as `relocated` computes them. The server makes every error anew as it writes
 * a result, and graphql-js would search for the locations again, in a text that is gone.
 */
export const errorLocations: Phase = {
  onResultProcess({ result, setResult }) {
    if (Array.isArray(result)) return;
    setResult(
      mapParts(result as Result, (part) => {
        const { errors } = part;
        if (!errors) return part;
        return {
          ...part,
          stringify: (result) => JSON.stringify({ ...result, errors: errors.map(withoutMarks) }),
        };
      }),
    );
  },
};

/** The server's own marks on an error are not for the client. */
export function withoutMarks(error: GraphQLError): GraphQLError {
  const { http, unexpected, ...extensions } = error.extensions;
  return relocated(error, { extensions });
}

/** Passes the document and the outcome of each result on to the observer of their request. */
export const observation: Phase = {
  onParse({ context }) {
    const { observer } = context as Partial<RequestContext>;
    if (!observer) return undefined;
    return ({ result }) => {
      if (!(result instanceof Error)) observer.document = result as DocumentNode;
    };
  },
  onResultProcess({ result, setResult, serverContext: { observer } }) {
    if (!observer || Array.isArray(result)) return;
    const record = (part: IncrementalResult): IncrementalResult => {
      for (const one of [part, ...(part.incremental ?? [])])
        observer.onResult(codesOf(one), one.data != null);
      return part;
    };
    setResult(mapParts(result as Result, record));
  },
};

/** The codes of the errors of a result. */
export function codesOf({ errors = [] }: ExecutionResult): string[] {
  return errors.map(({ extensions: { code } }) =>
    typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR',
  );
}

/**
 * Leaves fields that all responses have to the HTTP layer: Yoga sets its own on a response in parts. That one
 * has nginx pass each part on at once.
 */
export const plainFields: Phase = {
  onResponse({ response: { headers } }) {
    if (/^(multipart|text)\//.test(headers.get('content-type') ?? '')) headers.set('x-accel-buffering', 'no');
    headers.delete('cache-control');
    // The server does not know whether the connection stays open.
    headers.delete('connection');
  },
};

/** A value with fewer elements is measured again where it recurs: that costs less than to remember it. */
const MIN_REMEMBERED = 64;

/** Is on the stack below the elements of a value: the size of the value is what they add. */
class Measurement {
  readonly value: object;
  readonly before: number;

  constructor(value: object, before: number) {
    this.value = value;
    this.before = before;
  }
}

/**
 * The size of the JSON text of a value in bytes of UTF-8, before it is written; where it is over `maxBytes`,
 * any number over that. Adds up what `JSON.stringify` writes, on a stack in place of recursion: JSON from the
 * REST API may be nested without end. A large value that recurs (`health { body }` under many aliases) is
 * measured once.
 */
export function jsonBytes(root: unknown, maxBytes: number): number {
  let bytes = 0;
  const stack: unknown[] = [root];
  const known = new Map<object, number>();
  while (stack.length > 0 && bytes <= maxBytes) {
    const value = stack.pop();
    if (typeof value === 'string') bytes += bytesOfString(value, maxBytes);
    else if (typeof value !== 'object' || value === null) bytes += bytesOfLiteral(value);
    else if (value instanceof Measurement) known.set(value.value, bytes - value.before);
    else if (known.has(value)) bytes += known.get(value) ?? 0;
    else if ('toJSON' in value && typeof value.toJSON === 'function') stack.push(value.toJSON());
    else {
      const isList = Array.isArray(value);
      const elements = isList ? value : Object.entries(value).filter(([, field]) => field !== undefined);
      if (elements.length >= MIN_REMEMBERED) stack.push(new Measurement(value, bytes));
      for (const element of elements) {
        // The name of a field has a colon.
        if (!isList) bytes += bytesOfString(element[0], maxBytes) + 1;
        stack.push((isList ? element : element[1]) ?? null);
      }
      // Brackets or braces, and commas between the elements.
      bytes += 1 + Math.max(elements.length, 1);
    }
  }
  return bytes;
}

/** A string that is too long already is not escaped to find out by how much. */
function bytesOfString(text: string, maxBytes: number): number {
  return text.length > maxBytes ? text.length : Buffer.byteLength(JSON.stringify(text));
}

function bytesOfLiteral(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value).length : 4;
  return typeof value === 'boolean' || value === null ? String(value).length : 0;
}
