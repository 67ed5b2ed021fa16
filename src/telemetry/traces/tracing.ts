import type { IncomingMessage } from 'node:http';
import type { Loaders } from '../../loaders.ts';
import type { UpstreamClient } from '../../upstream/client.ts';
import type { Operation } from '../operation.ts';

/** Traces operations: a span for each operation, each loader call and each REST call. */
export interface Tracing {
  start(req: IncomingMessage): OperationTrace;
  /** Sends the remaining spans, in one attempt at most. Never rejects. */
  close(): Promise<void>;
}

/** The trace of one operation. */
export interface OperationTrace {
  /** Undefined where the trace is not sampled. */
  readonly traceId: string | undefined;
  /** Returns a client whose calls are traced. */
  client(client: UpstreamClient): UpstreamClient;
  /** Returns loaders that are traced. They must use that client. */
  loaders(loaders: Loaders): Loaders;
  end(operation: Operation): void;
}

export interface TracingOptions {
  /** Base URL of the collector. */
  endpoint: URL;
  serviceName: string;
  sampledShare: number;
  propagates: boolean;
  /** Called when traces were dropped, at most once per minute. */
  onLost(reason: string): void;
}
