/** No message holds an upstream body, URL, host or key; `cause` is the error of a library. */
export abstract class UpstreamError extends Error {
  override readonly name = this.constructor.name;
  /** The `extensions.code` that a client gets, and `details` are its further extensions. */
  abstract readonly code: UpstreamErrorCode;
  details: object = {};
}

type UpstreamErrorCode =
  | 'FORBIDDEN'
  | 'RATE_LIMITED'
  | 'OPERATION_TOO_EXPENSIVE'
  | 'UPSTREAM_TIMEOUT'
  | 'UPSTREAM_UNAVAILABLE'
  | 'UPSTREAM_INVALID_RESPONSE';

/** 401 or 403: the key is not accepted, or may not read this. */
export class UpstreamForbidden extends UpstreamError {
  readonly code = 'FORBIDDEN';
  constructor() {
    super('The REST API rejected this key. Check the key, then its scopes.');
  }
}

/** 429: the rate limit of the key is exceeded. */
export class UpstreamRateLimited extends UpstreamError {
  readonly code = 'RATE_LIMITED';
  /** `Retry-After` in whole seconds from 0 to 3600, if the upstream sent it. */
  readonly retryAfter: number | undefined;
  constructor(retryAfter: number | undefined) {
    const when = retryAfter === undefined ? 'later' : `in ${retryAfter} s`;
    super(`Rate limit exceeded. Retry ${when}.`);
    this.retryAfter = retryAfter;
    this.details = retryAfter === undefined ? {} : { retryAfter };
  }
}

export class UpstreamTimeout extends UpstreamError {
  readonly code = 'UPSTREAM_TIMEOUT';
  constructor(timeoutMs: number) {
    super(`The REST API sent no complete response within ${timeoutMs} ms.`);
  }
}

/** No connection, a connection lost before the response began, a 408, a 425 or a 5xx. */
export class UpstreamUnavailable extends UpstreamError {
  readonly code = 'UPSTREAM_UNAVAILABLE';
  /** Of the response; null if there was none. */
  readonly status: number | null;
  constructor(status: number | null = null, options?: ErrorOptions) {
    super('The REST API is unavailable. Retry later.', options);
    this.status = status;
  }
}

/** The call was not sent, to shed load: the circuit is open, or too many calls wait for a connection. */
export class UpstreamRejected extends UpstreamUnavailable {}

/** A response the REST document does not allow. `problem` ends the sentence and never quotes the response. */
export class UpstreamInvalidResponse extends UpstreamError {
  readonly code = 'UPSTREAM_INVALID_RESPONSE';
  constructor(problem: string, options?: ErrorOptions) {
    super(`The REST API sent an invalid response: ${problem}.`, options);
  }
}

/** A 401, 403, 404 or 410 that is not the REST API's: a server in front of it has sent it, which is an outage. */
export class UpstreamUnreached extends UpstreamError {
  readonly code = 'UPSTREAM_INVALID_RESPONSE';
  readonly status: number;
  constructor(status: number) {
    super(`The response did not come from the REST API: it is not JSON, status ${status}.`);
    this.status = status;
  }
}

/** The call was not sent: the operation has made as many as it may. */
export class UpstreamBudgetExceeded extends UpstreamError {
  readonly code = 'OPERATION_TOO_EXPENSIVE';
  /** `upstreamCalls`: how many the operation has needed so far, including this one. */
  constructor(upstreamCalls: number, limit: number) {
    const message = `This operation needs more than ${limit} REST calls, the limit for one operation. Request less at once.`;
    super(message);
    this.details = { upstreamCalls, limit };
  }
}

/** The caller does not need the response any more, so that this error is sent to no client. */
export class UpstreamCancelled extends UpstreamError {
  readonly code = 'UPSTREAM_UNAVAILABLE';
  constructor() {
    super('The caller disconnected before the response came.');
  }
}

/** True if a status is of an UpstreamUnavailable: the same call may succeed later. */
export function isUnavailable(status: number): boolean {
  return status === 408 || status === 425 || status >= 500;
}

/** True if requested relations may have caused the failure: the REST API sent a 5xx, or nothing in time. */
export function mayBeCausedByInclude(error: unknown): error is UpstreamError {
  if (error instanceof UpstreamTimeout) return true;
  return error instanceof UpstreamUnavailable && Number(error.status) >= 500;
}

/** True if the REST API failed, or the call was not sent to shed load: a stale response may be served instead. */
export function isOutage(error: unknown): boolean {
  return [UpstreamTimeout, UpstreamUnavailable, UpstreamUnreached].some((kind) => error instanceof kind);
}
