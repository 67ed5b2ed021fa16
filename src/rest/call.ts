import type { IncomingHttpHeaders } from 'node:http';
import { Aborter } from './abort.ts';
import type { Caller, UpstreamCall } from './caller.ts';
import type { Permit } from './guards/fair-queue.ts';
import type { Notices } from './notices.ts';
import { SyncPromise } from './sync-promise.ts';
import type { Target } from './targets.ts';

/** Calls `done` once, at once or later. No promises: docs/decisions/18-calls-die-young.md. */
export type Send = (request: UpstreamRequest, done: Done) => void;

export type Done = (outcome: Outcome) => void;

/** A response of any status, or an UpstreamError. */
export type Outcome = UpstreamResponse | Error;

/** One step on the way of a REST call. It knows the next one and no other; stack.ts has their order. */
export type Layer = (next: Send) => Send;

export class UpstreamRequest {
  readonly caller: Caller;
  readonly target: Target;
  readonly signal: Aborter;
  startedAtMs = 0;
  /** 2: a retry. */
  attempt: UpstreamCall['attempt'];
  /** True if the transport has taken it. What fails before has cost the upstream nothing. */
  isSent = false;
  /** Of a poll: not served from a cache, and not retried unless another request joins the call. */
  isPoll = false;
  /** A connection, or the place in the queue for one. The transport releases that of a sent request. */
  permit: Permit | null = null;

  constructor(caller: Caller, target: Target, signal = new Aborter()) {
    this.caller = caller;
    this.target = target;
    this.signal = signal;
  }
}

/** The promise of what `read` takes from the response. Rejects with the outcome if that is an error. */
export function request<T>(send: Send, given: UpstreamRequest, read: (_: UpstreamResponse) => T): Promise<T> {
  const result = new SyncPromise<T>();
  send(given, (outcome) => {
    if (outcome instanceof Error) result.reject(outcome);
    else result.resolve(read(outcome));
  });
  return result;
}

export function resourceIn<T>({ resource }: UpstreamResponse): T | null {
  return resource as T | null;
}

export interface UpstreamResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The path of the call that was made: equal to the target's, or of a larger call that was joined. */
  sentPath: string;
  /** Of a 429: `Retry-After` in whole seconds, if it could be read. */
  retryAfter: number | undefined;
  notices: Notices | null;
  /** True once its drift and failure are counted, and once it is stored: each once for all callers that share it. */
  isCounted: boolean;
  isStored: boolean;
  /** The decoded body; undefined before, null for a 404 or 410. */
  resource: unknown;
}

/** True for 404 and 410: the resource does not exist. */
export function isMissing(status: number | null): boolean {
  return status === 404 || status === 410;
}

/** Called for each call that was sent and failed; `error` if no response came, or none that is usable. */
export type OnFailure = (
  call: Pick<UpstreamCall, 'path' | 'status'> & { readonly durationMs?: number },
  caller: Caller,
  error?: unknown,
) => void;

/** Calls an observer of a call. If it throws, a process warning is emitted; the call is not affected. */
export function notify<A extends unknown[], R>(observer: ((...args: A) => R) | undefined, ...args: A) {
  try {
    return observer?.(...args);
  } catch (error) {
    process.emitWarning(error as Error);
    return undefined;
  }
}

/** Reports to the caller a call that began at `startedAtMs` and ends now. */
export function reportCall(
  { report }: Caller,
  path: string,
  startedAtMs: number,
  source: UpstreamCall['source'],
  status: number | null,
  { attempt, retryAfter, ageMs }: Pick<UpstreamCall, 'attempt' | 'retryAfter' | 'ageMs'>,
): UpstreamCall {
  const durationMs = msSince(startedAtMs);
  const call: UpstreamCall = { method: 'GET', path, status, durationMs, source, attempt, retryAfter, ageMs };
  notify(report, call, startedAtMs);
  return call;
}

/** Reports a request that a layer stops before it is sent, with `retryAfter` by a 429; returns the error, its outcome. */
export function reportRejected<E extends Error>(
  { caller, target, startedAtMs, attempt }: UpstreamRequest,
  source: UpstreamCall['source'],
  error: E,
  retryAfter?: number,
): E {
  const status = retryAfter === undefined ? null : 429;
  reportCall(caller, target.path, startedAtMs, source, status, { retryAfter, attempt });
  return error;
}

/** Milliseconds to the microsecond: further digits are noise. */
export function msSince(startedAtMs: number): number {
  return Math.round((performance.now() - startedAtMs) * 1000) / 1000;
}
