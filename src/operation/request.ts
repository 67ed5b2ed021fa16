import type { Plugin } from 'graphql-yoga';
import { badRequest } from '../errors.ts';
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
      const error = badRequest('Accept application/graphql-response+json or application/json.', 406);
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      endResponse(new fetchAPI.Response(JSON.stringify({ errors: [error] }), { status: 406, headers }));
    },
    onParams({ params }) {
      if (params.query == null) throw badRequest('Send a GraphQL document, as "query".', 400);
    },
  };
}
