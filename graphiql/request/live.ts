import type { FetcherParams, Observable } from '@graphiql/toolkit';
import { type ExecutionResult, getOperationAST, OperationTypeNode, parse } from 'graphql';
import { createClient, NetworkError, type RequestParams } from 'graphql-sse';
import { noteDeprecation } from '../deprecation/deprecation.ts';
import { endpoint } from '../options.ts';
import { startOutcome } from '../outcome/outcome.ts';
import { createHeartbeatReader, type Heartbeat } from './heartbeats.ts';
import { observable } from './observable.ts';

/** True for a live query, whose response is a stream. */
export function isLive({ query, operationName }: FetcherParams): boolean {
  try {
    return getOperationAST(parse(query), operationName)?.operation === OperationTypeNode.SUBSCRIPTION;
  } catch {
    return false;
  }
}

interface LiveHandlers {
  /** Returns what the editor shows of an event. */
  onEvent(event: ExecutionResult): ExecutionResult;
  onHeartbeat(heartbeat: Heartbeat): void;
  onRejection(response: ExecutionResult): void;
}

/** The events of a live query, each with the whole result. The stream ends with the subscription to them. */
export function liveResults(
  params: FetcherParams,
  headers: Record<string, string>,
  { onEvent, onHeartbeat, onRejection }: LiveHandlers,
): Observable<ExecutionResult> {
  return observable((sink) => {
    const fetchFn = fetchStreamBy(startOutcome(), onHeartbeat);
    const client = createClient({ url: endpoint, headers, retryAttempts: 0, fetchFn });
    const reject = (result: ExecutionResult) => {
      onRejection(result);
      sink.next(result);
    };
    return client.subscribe(params as RequestParams, {
      next: (result) => sink.next(onEvent(result as ExecutionResult)),
      error: (error) => void responseOf(error).then(reject).then(sink.complete, sink.error),
      complete: sink.complete,
    });
  });
}

/** By its second media type a rejection is a response with a status, and no stream. */
function fetchStreamBy(send: typeof fetch, onHeartbeat: LiveHandlers['onHeartbeat']) {
  return async (url: string, init: RequestInit & { headers: Record<string, string> }) => {
    const accept = 'text/event-stream, application/graphql-response+json';
    const response = await send(url, { ...init, headers: { ...init.headers, accept } });
    noteDeprecation(response.headers);
    return response.ok && response.body
      ? new Response(response.body.pipeThrough(readerOf(onHeartbeat)), response)
      : response;
  };
}

/** Passes the chunks of a stream on, and what its heartbeats say to `onHeartbeat`. */
function readerOf(onHeartbeat: LiveHandlers['onHeartbeat']) {
  const read = createHeartbeatReader();
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      const heartbeat = read(chunk);
      if (heartbeat) onHeartbeat(heartbeat);
      controller.enqueue(chunk);
    },
  });
}

/** The response that rejects a stream. Rejects if the connection was lost. */
async function responseOf(error: unknown): Promise<ExecutionResult> {
  const response = error instanceof NetworkError ? (error.response as Response | undefined) : undefined;
  if (!response) throw new Error('The connection was lost. Run the operation again.', { cause: error });
  return response.json().catch(() => {
    throw new Error(`HTTP ${response.status} without a GraphQL response.`);
  });
}
