import { Aborter } from '../abort.ts';
import type { Caller } from './caller.ts';
import type { Target } from './targets.ts';

/**
 * Sends a request and reports the outcome to the handler, at once or later. The layers call each other, with no
 * promise between them: docs/decisions/18-calls-die-young.md.
 */
export type Send = (request: UpstreamRequest, handler: ResponseHandler) => void;

/** One step on the way of a REST call. It knows the next one and no other; stack.ts has their order. */
export type Layer = (next: Send) => Send;

/** What a layer passes on. */
export class UpstreamRequest {
  readonly caller: Caller;
  readonly target: Target;
  /** Aborts the call, with the UpstreamError to report. */
  readonly signal: Aborter;
  startedAtMs = 0;
  /** Whether the call was repeated, for whatever reason: one is repeated at most once. */
  isRepeated = false;
  /** Whether the transport has taken it. What fails before has cost the upstream nothing. */
  isSent = false;
  /** Polls are not served from the cache, and not retried unless another request joins their call. */
  isPoll = false;
  /** Makes the call conditional: a 304 becomes a 200 with this body. */
  validator: Validator | null = null;

  constructor(caller: Caller, target: Target, signal = new Aborter()) {
    this.caller = caller;
    this.target = target;
    this.signal = signal;
  }

  /** Called by the layer that makes a call of the request. */
  start(): this {
    this.startedAtMs = performance.now();
    return this;
  }
}

/** A response that the caller has already (RFC 9110, 13). */
export interface Validator {
  etag: string;
  body: Buffer;
}

export interface UpstreamResponse {
  /** Any HTTP status. */
  status: number;
  /** Field names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** The path of the call that was made: equal to the target's, or of a larger call that was joined. */
  sentPath: string;
  /** Of a 429: `Retry-After` in whole seconds, where it could be read. */
  retryAfter: number | undefined;
  /** Whether the response was decoded, and whether it was stored: each once, however many callers share it. */
  isDecoded: boolean;
  isStored: boolean;
  /** Decoded from the body for the caller that receives the response now; null for a 404. */
  resource: unknown;
}

/** Receives the outcome of a request: a call of `onResponse` or of `onError`, once. */
export interface ResponseHandler {
  onResponse(response: UpstreamResponse): void;
  onError(error: Error): void;
  /** Called once for a request that was sent, when its connection is free: before the outcome or after it. */
  onReleased(): void;
}

/** Passes everything on. A layer that has to do with the outcome extends it. */
export class DecoratorHandler implements ResponseHandler {
  protected readonly request: UpstreamRequest;
  protected readonly handler: ResponseHandler;

  constructor(request: UpstreamRequest, handler: ResponseHandler) {
    this.request = request;
    this.handler = handler;
  }

  onResponse(response: UpstreamResponse): void {
    this.handler.onResponse(response);
  }

  onError(error: Error): void {
    this.handler.onError(error);
  }

  onReleased(): void {
    this.handler.onReleased();
  }
}
