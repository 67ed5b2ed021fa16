import type { Loaders } from '../loaders.ts';

/** What there is to be said of one request to the endpoint, when it is over. */
export interface Operation {
  requestId: string;
  /** Null where it has none, or no operation came of the request. A long one is cut (`shownName`). */
  name: string | null;
  /** SHA-256 of its document's text, in hex; null where that is not known. */
  documentHash: string | null;
  /** Whether its document is the operator's own. */
  isTrusted: boolean;
  outcome: Outcome;
  /** HTTP status of the answer. */
  status: number;
  durationMs: number;
  /** Codes of the errors in the answer, each once. */
  codes: readonly string[];
  /** The public digest of the caller's key; null where he has none to use. */
  key: string | null;
  /** The trace that it belongs to, where that is kept. */
  traceId: string | undefined;
  calls: Loaders['calls'];
  /** How often the resolvers asked for something. */
  questions: number;
}

/** `ok`: no error. `partial`: data, and errors. `refused`: no data. `abandoned`: the caller left before he had the answer. */
export type Outcome = 'ok' | 'partial' | 'refused' | 'abandoned';

/** So much of a key's digest is enough to tell keys apart, and to find one whose digest is known. */
const DIGEST_CHARACTERS = 12;

/** The digest of a whole key as it is shown. */
export function shownDigest(owner: string): string {
  return owner.slice(0, DIGEST_CHARACTERS);
}
