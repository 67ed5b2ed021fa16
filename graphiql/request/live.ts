import type { FetcherParams, Observable } from '@graphiql/toolkit';
import { type ExecutionResult, getOperationAST, OperationTypeNode, parse } from 'graphql';
import { createClient, NetworkError, type RequestParams } from 'graphql-sse';
import { endpoint } from '../options.ts';
import type { OperationResponse } from './refusal.ts';

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
  onResult: (result: OperationResponse) => void,
): Observable<ExecutionResult> {
  const client = createClient({ url: endpoint, headers, retryAttempts: 0, fetchFn: fetchStream });
  const subscribe = (sink: Sink) => {
    const next = (result: ExecutionResult) => {
      onResult(result);
      sink.next(result);
    };
    const unsubscribe = client.subscribe(params as RequestParams, {
      next: (result) => next(result as ExecutionResult),
      error: (error) => void responseOf(error).then(next).then(sink.complete, sink.error),
      complete: sink.complete,
    });
    return { unsubscribe };
  };
  // The type has another form of the call, which GraphiQL does not use.
  return { subscribe } as Observable<ExecutionResult>;
}

interface Sink {
  next(result: ExecutionResult): void;
  error(error: unknown): void;
  complete(): void;
}

/** By its second media type a refusal is a response with a status, and no stream. */
function fetchStream(url: string, init: RequestInit & { headers: Record<string, string> }) {
  const accept = 'text/event-stream, application/graphql-response+json';
  return fetch(url, { ...init, headers: { ...init.headers, accept } });
}

/** The response that refuses a stream. Rejects where the connection was lost. */
async function responseOf(error: unknown): Promise<ExecutionResult> {
  const response = error instanceof NetworkError ? (error.response as Response | undefined) : undefined;
  if (!response) throw new Error('The connection was lost. Run the operation again.', { cause: error });
  return response.json().catch(() => {
    throw new Error(`HTTP ${response.status} without a GraphQL response.`);
  });
}
