/**
 * How a call to the REST API can fail: a closed family. A message says what happened in the gateway's words and
 * never holds an upstream body, URL, host or key; what the libraries threw stays in `cause`.
 */
export abstract class UpstreamError extends Error {
  abstract override readonly name: string;
}

/** 401 or 403: the key is not accepted, or may not read this. */
export class UpstreamForbidden extends UpstreamError {
  override readonly name = 'UpstreamForbidden';
  constructor() {
    super('The REST API refuses this: check the key in the x-api-key header and its scopes.');
  }
}

/** 429: the key's rate limit is spent. */
export class UpstreamRateLimited extends UpstreamError {
  override readonly name = 'UpstreamRateLimited';
  /** Whole seconds from 0 to 3600 until a new try makes sense, where the upstream tells. */
  readonly retryAfter: number | undefined;
  constructor(retryAfter: number | undefined) {
    super('The rate limit of this key is exceeded: ask again later.');
    this.retryAfter = retryAfter;
  }
}

/** No complete answer within the deadline. */
export class UpstreamTimeout extends UpstreamError {
  override readonly name = 'UpstreamTimeout';
  constructor(timeoutMs: number) {
    super(`The REST API gave no complete answer within ${timeoutMs} ms.`);
  }
}

/** No connection, one lost before the answer began, or a 5xx. */
export class UpstreamUnavailable extends UpstreamError {
  override readonly name: string = 'UpstreamUnavailable';
  /** Of the answer, 500 or more; null where there was none. */
  readonly status: number | null;
  constructor(status: number | null, options?: ErrorOptions) {
    super('The REST API is unavailable at the moment: ask again later.', options);
    this.status = status;
  }
}

/** The call was not made: the breaker is open, or too many calls wait for a connection. */
export class UpstreamSpared extends UpstreamUnavailable {
  override readonly name = 'UpstreamSpared';
  readonly by: 'breaker' | 'queue';
  constructor(by: UpstreamSpared['by']) {
    super(null);
    this.by = by;
  }
}

/** An answer that the REST document does not allow. `flaw` completes the sentence, without quoting the answer. */
export class UpstreamInvalidResponse extends UpstreamError {
  override readonly name = 'UpstreamInvalidResponse';
  constructor(flaw: string, options?: ErrorOptions) {
    super(`The REST API gave an answer that cannot be used: ${flaw}.`, options);
  }
}

/** The call was not made: the operation has made as many as it may. */
export class UpstreamUnaffordable extends UpstreamError {
  override readonly name = 'UpstreamUnaffordable';
  /** How many calls the operation has needed so far, this one among them. */
  readonly calls: number;
  readonly limit: number;
  constructor(calls: number, limit: number) {
    super(`This operation needs more than the ${limit} REST calls that one may make: ask for less at once.`);
    this.calls = calls;
    this.limit = limit;
  }
}

/** The caller left; nobody is there to read this. */
export class UpstreamAbandoned extends UpstreamError {
  override readonly name = 'UpstreamAbandoned';
  constructor() {
    super('The caller left before the answer came.');
  }
}

/** Whether a failure may lie in the relations that were asked for: the REST API was there, and broke or took too long. */
export function mayLieInInclude(error: unknown): error is UpstreamError {
  return error instanceof UpstreamTimeout || (error instanceof UpstreamUnavailable && error.status !== null);
}

/** Whether the REST API is to blame, so that an earlier answer is better than this. */
export function isOutage(error: unknown): boolean {
  return error instanceof UpstreamTimeout || error instanceof UpstreamUnavailable;
}
