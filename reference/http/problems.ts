import { STATUS_CODES } from 'node:http';
import { isUnavailable } from '../database/errors.ts';
import type { ApiResponse } from './response.ts';

/** Every rejection, as an RFC 9457 problem. The text reveals no data. */
const problems = {
  'key-refused': {
    status: 403,
    detail: 'The x-api-key header does not carry a key that opens this resource.',
  },
  // The same text as above: the two reasons for a 403 in section 5 differ in their type only.
  'scope-missing': {
    status: 403,
    detail: 'The x-api-key header does not carry a key that opens this resource.',
  },
  'malformed-id': { status: 400, detail: 'The id in the path is not one that this resource can have.' },
  'not-found': { status: 404, detail: 'There is nothing at this address for the partner of this key.' },
  'method-not-allowed': { status: 405, detail: 'This resource can only be read, with GET or HEAD.' },
  'rate-limited': { status: 429, detail: 'This key has made all the requests of its current window.' },
  'database-unavailable': { status: 503, detail: 'The service is not available. Repeat the request later.' },
  flaky: { status: 503, detail: 'The scenario of this service lets a share of all requests fail.' },
  'bad-scenario': { status: 400, detail: 'The body is not a scenario.' },
  'web-page-rejected': { status: 403, detail: 'A web page may not change the scenario.' },
  'internal-error': { status: 500, detail: 'The service failed to answer. The request may be repeated.' },
} as const;

export type ProblemKind = keyof typeof problems;

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
}

/** `detail` replaces the usual text. */
export function problemFromKind(kind: ProblemKind, detail: string = problems[kind].detail): Problem {
  const { status } = problems[kind];
  return { type: `urn:partner-api:problem:${kind}`, title: STATUS_CODES[status] ?? '', status, detail };
}

/** Seconds after which a request to an unavailable database may be repeated. */
export const RETRY_AFTER_S = '5';

const extraHeaders: Partial<Record<ProblemKind, readonly string[]>> = {
  'method-not-allowed': ['allow', 'GET, HEAD'],
  'database-unavailable': ['retry-after', RETRY_AFTER_S],
};

/** The response to a request that `error` ended. */
export function responseFromError(error: unknown): ApiResponse {
  return responseFromProblem(isUnavailable(error) ? 'database-unavailable' : 'internal-error');
}

/** The response for this kind of problem. A 405 lists the allowed methods, an outage says when to try again. */
export function responseFromProblem(kind: ProblemKind, detail?: string): ApiResponse {
  const problem = problemFromKind(kind, detail);
  const headers = extraHeaders[kind] ?? [];
  return { status: problem.status, type: 'application/problem+json', body: JSON.stringify(problem), headers };
}
