import type { IncomingMessage } from 'node:http';
import type { Loaders } from '../loaders.ts';
import type { UpstreamClient } from '../upstream/client.ts';
import type { Operation } from './operation.ts';

/** Makes a trace of each operation: the operation, what its resolvers load, and the REST calls that brings about. */
export interface Tracing {
  begin(req: IncomingMessage): OperationTrace;
  /** Sends what has not been sent. It takes as long as one try does at most, and fails silently. */
  close(): Promise<void>;
}

/** The trace of one operation. */
export interface OperationTrace {
  /** Undefined where the trace is not kept. */
  readonly traceId: string | undefined;
  /** The client, whose calls become part of the trace. */
  client(client: UpstreamClient): UpstreamClient;
  /** The loaders, likewise. They must load with that client. */
  loaders(loaders: Loaders): Loaders;
  end(operation: Operation): void;
}

export interface TracingOptions {
  /** Base address of the collector. */
  endpoint: URL;
  serviceName: string;
  sampledShare: number;
  propagates: boolean;
  /** Hears, once in a while, that traces were dropped. */
  onLost(reason: string): void;
}

/** Loads what it takes to make traces, which is much; nothing is sent before there is something to send. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { createTracing } = await import('./traces.ts');
  return createTracing(options);
}
