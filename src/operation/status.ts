import { isIncremental } from './parts.ts';
import type { Phase } from './types.ts';

/** Data with errors, and what can be read but not executed (GraphQL over HTTP, September 2026, Status Codes). */
const PARTIAL_SUCCESS = 294;
const UNPROCESSABLE = 422;

/**
 * Has a complete response as `application/graphql-response+json` carry the status codes of GraphQL over HTTP:
 * its clients read the body whatever they are. With another media type data with errors remain a 200, and a
 * 422 is a 400: older clients know no other.
 */
export function statusCodes(): Phase {
  /** The requests whose response has data and errors. */
  const partial = new WeakSet<Request>();

  function statusFor(request: Request, isGraphql: boolean, status: number): number {
    if (!isGraphql) return status === UNPROCESSABLE ? 400 : status;
    return status === 200 && partial.has(request) ? PARTIAL_SUCCESS : status;
  }

  return {
    onResultProcess({ request, result }) {
      if (Array.isArray(result) || isIncremental(result) || !result.errors) return;
      if ('data' in result && result.data !== undefined) partial.add(request);
    },
    onResponse({ request, response, setResponse, fetchAPI }) {
      const { headers, body } = response;
      const isGraphql = headers.get('content-type')?.startsWith('application/graphql-response+json') ?? false;
      const status = statusFor(request, isGraphql, response.status);
      if (status === response.status) return;
      const statusText = status === PARTIAL_SUCCESS ? 'Partial Success' : '';
      setResponse(new fetchAPI.Response(body, { status, statusText, headers }));
    },
  };
}
