import type { OperationTypeNode } from 'graphql';
import type { UpstreamCall } from '../rest/caller.ts';
import type { OperationCalls } from '../schema/loaders.ts';

/** The record of one finished request to the GraphQL endpoint. */
export interface Operation {
  requestId: string;
  /** Type and name are null without an operation. A long name ends with `…`. */
  type: OperationTypeNode | null;
  name: string | null;
  /** SHA-256 of the document's text, in hex; null without a document. */
  documentHash: string | null;
  isTrusted: boolean;
  /** True if it was planned in place of executed. */
  isPlan: boolean;
  /** `ok`: no error. `partial`: data and errors. `rejected`: no data. `abandoned`: the client has left. */
  outcome: 'ok' | 'partial' | 'rejected' | 'abandoned';
  status: number;
  durationMs: number;
  /** Codes of the errors in the response, each once. */
  codes: readonly string[];
  /** The shown digest of the API key; null without a usable key. */
  key: string | null;
  /** Undefined if the trace is not sampled. */
  traceId: string | undefined;
  calls: OperationCalls['ended'];
  /** True for a live query, whose response its client ends. */
  isStream: boolean;
  /** The name and the version that the client gives itself; null without. A long one ends with `…`. */
  clientName: string | null;
  clientVersion: string | null;
}

/** Longest operation name in logs, metrics and traces, in characters. */
const MAX_NAME_CHARACTERS = 64;

/** A name as logs, metrics and traces have it: cut with `…`, which no GraphQL name contains. */
export function shownName(name: string): string {
  return name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}…` : name;
}

/** The digest of a key in logs and traces: enough to distinguish keys, and to find one whose digest is known. */
export function shownDigest(owner: string): string {
  return owner.slice(0, 12);
}

export function endpointOf({ path }: Pick<UpstreamCall, 'path'>): 'site' | 'conversation' | 'health' {
  if (path.startsWith('/v1/site/')) return 'site';
  return path.startsWith('/v1/conversation/') ? 'conversation' : 'health';
}

/** The path without the id, which comes from the client: `/v1/site/{id}?include=clients`. */
export function templateOf({ path }: Pick<UpstreamCall, 'path'>): string {
  return path.replace(/^(\/v1\/(?:site|conversation)\/)[^/?]+/, '$1{id}');
}
