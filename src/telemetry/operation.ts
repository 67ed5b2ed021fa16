import type { OperationTypeNode } from 'graphql';
import type { Loaders } from '../loaders.ts';

/** The record of one finished request to the GraphQL endpoint. */
export interface Operation {
  requestId: string;
  /** Null where there is no operation. */
  type: OperationTypeNode | null;
  /** Null where the operation has none, or there is no operation. Truncated by `shownName`. */
  name: string | null;
  /** SHA-256 of the document's text, in hex; null where it is not known. */
  documentHash: string | null;
  /** Whether its document is a trusted document. */
  isTrusted: boolean;
  outcome: Outcome;
  /** HTTP status of the response. */
  status: number;
  durationMs: number;
  /** Codes of the errors in the response, each once. */
  codes: readonly string[];
  /** The shown digest of the API key; null without a usable key. */
  key: string | null;
  /** Undefined where the trace is not sampled. */
  traceId: string | undefined;
  calls: Loaders['calls'];
  /** The number of loader calls by resolvers. */
  loadCount: number;
  /** Polls of its resources while a stream was open; undefined where the response was none. */
  polls: number | undefined;
}

/** `ok`: no error. `partial`: data, and errors. `refused`: no data. `abandoned`: the client disconnected before the response was complete. */
export type Outcome = 'ok' | 'partial' | 'refused' | 'abandoned';

/** Enough of a digest to distinguish keys, and to find a key whose digest is known. */
const DIGEST_CHARACTERS = 12;

/** The digest of a key as it appears in logs and traces. */
export function shownDigest(owner: string): string {
  return owner.slice(0, DIGEST_CHARACTERS);
}
