import type { Plugin } from 'graphql-yoga';
import { badRequest, type ErrorCode } from '../errors.ts';
import { acceptsSomething } from './accept.ts';
import type { RequestContext } from './pipeline.ts';

/**
 * Refuses, before it can cost a REST call, a request whose answer nobody could read, and one without a document. It is
 * the front door that reads, for it knows the limits and quotes nothing of what it cannot read.
 */
export function useReadableRequest(): Plugin<object, RequestContext> {
  return {
    onRequestParse({ request, serverContext, setRequestParser, endResponse, fetchAPI }) {
      if (acceptsSomething(request.headers.get('accept'))) {
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
