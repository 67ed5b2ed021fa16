import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** One HTTP request of the load generator. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  key: string;
  body?: string;
}

/** A GraphQL operation as a request. */
export function postOperation(key: string, operation: { query: string; variables: object }): LoadRequest {
  return { method: 'POST', path: '/graphql', key, body: JSON.stringify(operation) };
}

/** A complete response. */
export interface LoadResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Supplies the requests of a load, and receives the responses. */
export interface Traffic<R extends LoadRequest> {
  next(): R;
  /**
   * Called once for each request; a throw stops the load. `isMeasured` is false during the lead time of an open loop.
   * @throws Error when the response is wrong
   */
  onResponse(request: R, response: LoadResponse, latencyMs: number, isMeasured: boolean): void;
}

/** Sends one request and calls back once, with the response or with the failure. */
export function send(
  dispatcher: Dispatcher,
  { method, path, body, key }: LoadRequest,
  onEnd: (error: Error | undefined, response: LoadResponse) => void,
): void {
  const chunks: Buffer[] = [];
  const response: LoadResponse = { status: 0, headers: {}, body: Buffer.alloc(0) };
  const headers = {
    'x-api-key': key,
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  dispatcher.dispatch(
    { method, path, headers, ...(body !== undefined && { body }) },
    {
      onRequestStart() {},
      onResponseStart(_, status, responseHeaders) {
        response.status = status;
        response.headers = responseHeaders;
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        const [only = response.body] = chunks;
        response.body = chunks.length > 1 ? Buffer.concat(chunks) : only;
        onEnd(undefined, response);
      },
      onResponseError(_, error) {
        onEnd(error, response);
      },
    },
  );
}
