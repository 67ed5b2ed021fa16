import type { IncomingHttpHeaders } from 'node:http';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { Loaders } from '../loaders.ts';
import type { Context } from '../schema/builder.ts';

/** A request to the GraphQL endpoint, as the HTTP layer passes it on. */
export interface RequestContext {
  /** What the operation may load with; undefined where the request has no usable key. */
  loaders: Loaders | undefined;
  /** Reads the parameters. Rejects with a GraphQLError where they cannot be read. */
  readParams(): Promise<GraphQLParams>;
  /** Undefined where logs, metrics and traces are off. */
  observer?: RequestObserver | undefined;
}

/** Records the outcome of one request. */
export interface RequestObserver {
  /** Set once the parameters are read. */
  params: GraphQLParams | undefined;
  /** Records the error codes of a response or of a part of it, and whether it holds data as well. */
  onResult(codes: readonly string[], hasData: boolean): void;
}

/** Which operation of which document a request executes. */
export interface OperationIdentity {
  /** Null where the operation has no name. */
  name: string | null;
  /** SHA-256 of the document's text, in hex. */
  documentHash: string;
  isTrusted: boolean;
}

/**
 * One phase of an operation, for both executors. The full pipeline runs the plugins; the fast path runs none of them, and
 * accepts an operation only if no phase would change it: the predicates decide that.
 */
export interface Phase {
  readonly plugins: readonly (Plugin | Plugin<object, RequestContext> | Plugin<Record<string, unknown>>)[];
  /** Whether the phase leaves a request with these header fields as it is. Absent: it does. */
  passesHeaders?(headers: IncomingHttpHeaders): boolean;
  /** The same of an operation that is about to be executed. */
  passesOperation?(args: ExecutionArgs): boolean;
  /** The same of its result, which has no errors. */
  passesResult?(result: ExecutionResult, context: Context): boolean;
}
