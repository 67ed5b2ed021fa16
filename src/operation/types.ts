import type { DocumentNode, GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { OperationCalls } from '../schema/loaders.ts';
import type { SelectedOperation, Values } from './fields.ts';

/** A request to the GraphQL endpoint, as the HTTP layer passes it on. */
export interface RequestContext {
  /** The REST calls of the operation; undefined if the request has no usable key. */
  calls: OperationCalls | undefined;
  /** Reads the parameters. Rejects with a GraphQLError if they cannot be read. */
  readParams(): Promise<GraphQLParams>;
  observer?: RequestObserver | undefined;
  /** Its document, once it is found; absent if the text is to be parsed. */
  document?: DocumentNode | undefined;
  /** True if its operation is executed in parts; set by a phase before the execution. */
  isInParts?: boolean;
  /** Of a live query: why its stream was not opened, or will not be. */
  streamRejection?: GraphQLError | undefined;
}

export interface RequestObserver {
  params: GraphQLParams | undefined;
  document: DocumentNode | undefined;
  /** Called before any load of the operation, with the digest of the whole key. */
  onCalls(keyHash: string, calls: OperationCalls): void;
  /** To be called if the response is a stream, which its client ends: forgets the variables, which may be large. */
  onStream(): void;
  /** Records the error codes of a response or of a part of it, and whether it holds data as well. */
  onResult(codes: readonly string[], hasData: boolean): void;
}

/** Finds the document of a request otherwise than by its text; undefined to execute that. May throw a GraphQLError. */
export type DocumentSource = (params: GraphQLParams) => DocumentNode | undefined;

/** Throws a GraphQLError if an operation with these values of its variables, coerced, must be rejected. */
export type Check = (variables: Values) => void;

/** One phase of an operation: a plugin of the server, and what the lanes before it have to know. */
export type Phase = Plugin<object, RequestContext> & {
  /** A request with one of these header fields, unless it is empty, takes the full pipeline. */
  headerFields?: readonly string[];
};

/** The query within an operation of another kind, as it is planned. */
export interface InnerQuery {
  query: SelectedOperation;
  /** Coerced. */
  variables: Values;
  /** How often its REST calls are made: those that are known, and the most. */
  rateOf(known: number, atMost: number): CallRate;
}

export interface CallRate {
  everySeconds: number;
  callsPerMinute: number;
  atMostPerMinute: number;
  limitPerMinute: number;
}

/** Reads it from a validated document; undefined for another operation, and if a variable does not fit. May throw. */
export type ReadInnerQuery = (
  document: DocumentNode,
  operationName: string | null | undefined,
  values: Values | null | undefined,
) => InnerQuery | undefined;
