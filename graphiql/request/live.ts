import type { FetcherParams, Observable } from '@graphiql/toolkit';
import { type ExecutionResult, getOperationAST, OperationTypeNode, parse } from 'graphql';
import { createClient, NetworkError, type RequestParams } from 'graphql-sse';
import { endpoint } from '../options.ts';
import { observable } from './observable.ts';
import type { OperationResponse } from './rejection.ts';

/** Whether an operation is a live query, to which the response is a stream. */
export function isLive({ query, operationName }: FetcherParams): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === OperationTypeNode.SUBSCRIPTION;
  } catch {
    return false;
  }
}

/** The events of a live query, each with the whole result. The stream ends with the subscription to them. */
export function liveResults(
  params: FetcherParams,
  headers: Record<string, string>,
  {
    onEvent,
    onResult,
  }: { onEvent(result: OperationResponse): void; onResult(result: OperationResponse): void },
): Observable<ExecutionResult> {
  const client = createClient({ url: endpoint, headers, retryAttempts: 0, fetchFn: fetchStream });
  return observable((sink) => {
    const next = (result: ExecutionResult) => {
      onResult(result);
      sink.next(result);
    };
    return client.subscribe(params as RequestParams, {
      next: (result) => {
        onEvent(result as OperationResponse);
        next(result as ExecutionResult);
      },
      error: (error) => void responseOf(error).then(next).then(sink.complete, sink.error),
      complete: sink.complete,
    });
  });
}

/** By its second media type a rejection is a response with a status, and no stream. */
function fetchStream(url: string, init: RequestInit & { headers: Record<string, string> }) {
  const accept = 'text/event-stream, application/graphql-response+json';
  return fetch(url, { ...init, headers: { ...init.headers, accept } });
}

/** The response that rejects a stream. Rejects where the connection was lost. */
async function responseOf(error: unknown): Promise<ExecutionResult> {
  const response = error instanceof NetworkError ? (error.response as Response | undefined) : undefined;
  if (!response) throw new Error('The connection was lost. Run the operation again.', { cause: error });
  return response.json().catch(() => {
    throw new Error(`HTTP ${response.status} without a GraphQL response.`);
  });
}
