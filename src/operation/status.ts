import type { Phase } from './types.ts';

/** Data with errors, and what can be read but not executed (GraphQL over HTTP, September 2026, Status Codes). */
const PARTIAL_SUCCESS = 294;
const UNPROCESSABLE = 422;

/** Only clients of `application/graphql-response+json` know these codes: the others get a 200 with errors, and a 400. */
export function statusCodes(): Phase {
  /** The requests whose response has data and errors. */
  const partial = new WeakSet<Request>();

  return {
    onResultProcess({ request, result }) {
      // A response in parts has neither itself.
      if ('data' in result && result.data !== undefined && result.errors) partial.add(request);
    },
    onResponse({ request, response, setResponse, fetchAPI }) {
      const { headers, body, status } = response;
      const isGraphql = headers.get('content-type')?.startsWith('application/graphql-response+json') ?? false;
      if (isGraphql && status === 200 && partial.has(request)) {
        const changed = { status: PARTIAL_SUCCESS, statusText: 'Partial Success', headers };
        setResponse(new fetchAPI.Response(body, changed));
      } else if (!isGraphql && status === UNPROCESSABLE) {
        setResponse(new fetchAPI.Response(body, { status: 400, headers }));
      }
    },
  };
}
