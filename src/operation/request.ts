import type { Plugin } from 'graphql-yoga';
import { badRequest } from '../errors.ts';
import { acceptsSomething } from './accept.ts';

/**
 * Refuses, before it can cost a REST call, a request whose answer nobody could read, and one whose parameters cannot
 * be read: the server takes the latter for a fault of its own.
 */
export function useReadableRequest(): Plugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser, endResponse, fetchAPI }) {
      if (!acceptsSomething(request.headers.get('accept'))) {
        const error = badRequest('Accept application/graphql-response+json or application/json.', 406);
        const headers = { 'content-type': 'application/json; charset=utf-8' };
        endResponse(new fetchAPI.Response(JSON.stringify({ errors: [error] }), { status: 406, headers }));
      } else if (requestParser && request.method === 'GET') {
        setRequestParser((asked) => {
          try {
            return requestParser(asked);
          } catch {
            throw badRequest('The parameters "variables" and "extensions" must be JSON.', 400);
          }
        });
      }
    },
  };
}
