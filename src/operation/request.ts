import type { Plugin } from 'graphql-yoga';
import { badRequest, type ErrorCode } from '../errors.ts';
import { acceptsSomething, incrementalTypeOf, withoutOtherFormats } from './response/accept.ts';
import { isIncremental } from './response/incremental.ts';
import type { Phase, RequestContext } from './types.ts';

/**
 * Refuses a request that accepts no media type of a response (406), and one without a document. The HTTP layer reads the
 * parameters: it has the limits, and quotes nothing of a body that it cannot read.
 */
export function acceptedRequest(): Phase {
  return { plugins: [useReadableRequest()] };
}

function useReadableRequest(): Plugin<object, RequestContext> {
  return {
    onRequestParse({ request, serverContext, setRequestParser, endResponse, fetchAPI }) {
      const accept = request.headers.get('accept');
      if (acceptsSomething(accept)) {
        narrowAccept(request, withoutOtherFormats(accept ?? ''));
        setRequestParser(() => serverContext.readParams());
        return;
      }
      const message = 'Accept application/graphql-response+json or application/json.';
      const extensions = { code: 'BAD_REQUEST' satisfies ErrorCode };
      const body = JSON.stringify({ errors: [{ message, extensions }] });
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      endResponse(new fetchAPI.Response(body, { status: 406, headers }));
    },
    onParams({ params }) {
      if (params.query == null) throw badRequest('Send a GraphQL document, as "query".', 400);
    },
  };
}

/**
 * Has the server send parts as the media type that the client names for them. The server alone would choose by any range
 * that matches, a wildcard too.
 */
export function incrementalFormat(): Phase {
  return { plugins: [useIncrementalFormat()] };
}

function useIncrementalFormat(): Plugin {
  return {
    onExecutionResult({ request, result }) {
      if (!result || !isIncremental(result)) return;
      narrowAccept(request, incrementalTypeOf(request.headers.get('accept')));
    },
  };
}

/** The server reads the field when it has a result, and knows neither parameters nor weights. */
function narrowAccept({ headers }: Request, accept = ''): void {
  if (accept !== '' && accept !== headers.get('accept')) headers.set('accept', accept);
}
