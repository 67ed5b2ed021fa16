import { type ASTNode, GraphQLError } from 'graphql';
import { isUnavailable, UpstreamError, UpstreamInvalidResponse } from '../rest/errors.ts';

/** Every value that `extensions.code` can have; docs/errors.md explains them. */
export const errorCodes = [
  'FORBIDDEN',
  'BAD_USER_INPUT',
  'RATE_LIMITED',
  'OPERATION_TOO_EXPENSIVE',
  'OPERATION_TOO_COMPLEX',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_INVALID_RESPONSE',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'OVERLOADED',
  'INTERNAL_SERVER_ERROR',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** One message for every request without a usable key: it reveals nothing about the request. */
export function keyRequired(): GraphQLError {
  return requestError('FORBIDDEN', 403, 'Send exactly one API key, in the x-api-key header.');
}

/** A fault of the request itself, with its HTTP status: 400 if it cannot be read, 422 if it cannot be executed. */
export function badRequest(message: string, status: number, headers?: ErrorHttp['headers']): GraphQLError {
  return requestError('BAD_REQUEST', status, message, { http: { headers } });
}

/** A document without one operation that the request means; the code is Apollo Server's. */
export function unknownOperation(message: string): GraphQLError {
  return requestError('OPERATION_RESOLUTION_FAILURE', 422, message);
}

/** Apollo's clients know these codes, and send the text. JSON comes with 200: some read no body of a 400. */
export function persistedQueryRejected(isSupported: boolean): GraphQLError {
  const http = { spec: true };
  return isSupported
    ? requestError('PERSISTED_QUERY_NOT_FOUND', 400, 'PersistedQueryNotFound', { http })
    : requestError('PERSISTED_QUERY_NOT_SUPPORTED', 400, 'PersistedQueryNotSupported', { http });
}

export function badUserInput(message: string, node: ASTNode): GraphQLError {
  return requestError('BAD_USER_INPUT', 422, message, { nodes: node });
}

/** An operation that names more than `limit` resources, duplicates included. */
export function tooManyResources(resources: number, limit: number): GraphQLError {
  const message = `The operation names ${resources} sites and conversations, duplicates included; at most ${limit} are allowed.`;
  return operationTooExpensive(message, { resources, limit });
}

export function operationTooExpensive(message: string, extensions: object): GraphQLError {
  return requestError('OPERATION_TOO_EXPENSIVE', 422, message, { extensions });
}

/** An operation whose response would have more bytes or values, which are fields and list elements. */
export function responseTooLarge(limit: number, unit: 'bytes' | 'values'): GraphQLError {
  const message = `The response would hold more than ${limit} ${unit}. Select fewer fields or resources.`;
  return operationTooExpensive(message, { limit });
}

/** A document that is too large; `excesses` are the limits it exceeds: `more than 12 levels of fields`. */
export function tooComplex(excesses: readonly string[]): GraphQLError {
  const message = `The document is too complex: it has ${excesses.join(', ')}.`;
  return requestError('OPERATION_TOO_COMPLEX', 422, message);
}

export function internalError(): GraphQLError {
  return requestError('INTERNAL_SERVER_ERROR', 500, 'Unexpected error.');
}

const overloadWaitSeconds = 1;

/** The gateway is at its limit of active operations, or of live queries. */
export function overloaded(): GraphQLError {
  return retryLater(`The gateway is overloaded. Retry in ${overloadWaitSeconds} s.`);
}

/** The process drains: another one serves the request. */
export function shuttingDown(): GraphQLError {
  return retryLater(`The gateway is shutting down. Retry in ${overloadWaitSeconds} s.`);
}

export function retryLater(message: string): GraphQLError {
  return requestError('OVERLOADED', 503, message, { http: retryAfterField(overloadWaitSeconds) });
}

/** Rejects the whole request with the error that a REST call of it has, or would have. */
export function rejectionFor(error: UpstreamError, status: number): GraphQLError {
  const { retryAfter }: { retryAfter?: number } = error.details;
  const http = retryAfter === undefined ? {} : retryAfterField(retryAfter);
  return requestError(error.code, status, error.message, { extensions: error.details, http });
}

function retryAfterField(seconds: number) {
  return { headers: { 'retry-after': String(seconds) } };
}

/** The extension `http` of the error of a request: how its HTTP response begins. It is not sent. */
export interface ErrorHttp {
  status: number;
  headers?: Record<string, string> | undefined;
}

/** `extensions`: further ones than the code; `http`: of the HTTP response, besides its status. */
function requestError(
  code: ErrorCode,
  status: number,
  message: string,
  { nodes = null, extensions, http }: { nodes?: ASTNode | null; extensions?: object; http?: object } = {},
): GraphQLError {
  return new GraphQLError(message, { nodes, extensions: { code, ...extensions, http: { status, ...http } } });
}

/** A value its type cannot carry. No GraphQLError: `@defer` keeps only the message of one from a scalar. */
export function invalidValue(expected: string): Error {
  return new UpstreamInvalidResponse(`a value is not ${expected}`);
}

/** Ignores an error that the full pipeline reports. @throws any other error: it is a fault of the gateway */
export function ignoreRequestError(error: unknown): undefined {
  if (!(error instanceof GraphQLError)) throw error;
}

/** The code of a REST call that failed: with a response of this status, or without a usable one. */
export function codeOfCall(status: number | null, error: unknown): ErrorCode {
  if (error instanceof UpstreamError) return error.code;
  if (status === 401 || status === 403) return 'FORBIDDEN';
  if (status === 429) return 'RATE_LIMITED';
  return status === null || isUnavailable(status) ? 'UPSTREAM_UNAVAILABLE' : 'UPSTREAM_INVALID_RESPONSE';
}
