import type { Dispatcher } from 'undici';
import type { Operation } from '../workloads/operations.ts';

/** A complete response. */
export interface LoadResponse {
  status: number;
  body: Buffer;
}

/** Supplies the operations of a load, and receives the responses. */
export interface Traffic {
  next(connection: number): Operation;
  /** @throws Error when the response is wrong, which stops the load */
  validate(operation: Operation, response: LoadResponse): void;
}

/** Sends one operation and calls back once, with the response or with the failure. */
export function send(
  dispatcher: Dispatcher,
  { body, key }: Operation,
  onEnd: (error: Error | undefined, response: LoadResponse) => void,
): void {
  const chunks: Buffer[] = [];
  const response: LoadResponse = { status: 0, body: Buffer.alloc(0) };
  const headers = { 'x-api-key': key, accept: 'application/json', 'content-type': 'application/json' };
  dispatcher.dispatch(
    { method: 'POST', path: '/graphql', headers, body },
    {
      onRequestStart() {},
      onResponseStart(_, status) {
        response.status = status;
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
