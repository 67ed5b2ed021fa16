import type { Signal } from '../signal.ts';
import type { Breaker, Trial } from './breaker.ts';
import type { Caller } from './caller.ts';
import { UpstreamAbandoned, UpstreamRateLimited, UpstreamSpared } from './errors.ts';
import { type Exchange, OneExchange, type Recipient } from './exchange.ts';
import type { Landing } from './flights.ts';
import type { Gates } from './gates.ts';
import type { Guest, Queue, Stay } from './queue.ts';
import { type HearFailure, type More, tell } from './report.ts';
import { retryAfterFrom } from './retry-after.ts';
import type { Sockets } from './sockets.ts';

/** What all calls to one REST API share on their way. */
export interface Road {
  gates: Gates;
  breaker: Breaker;
  queue: Queue;
  sockets: Sockets;
  /** Of the base address; a call's path is added to it. */
  basePath: string;
  maxResponseBytes: number;
  onFailure?: HearFailure | undefined;
}

export interface WireRequest {
  caller: Caller;
  /** Below the base address. */
  path: string;
  signal: Signal;
  /** Whether it is asked again where that may help. */
  mayRepeat: boolean;
  /** Set by the first repeat of any kind: a call is repeated once at most. */
  isRepeated: boolean;
}

/**
 * One call on its way: the breaker, the wait for a connection, the exchange. What happens on it is reported to the caller.
 * Its steps call each other, with no promise between them: hundreds wait at once, and what they hold is what the
 * collector has to move.
 */
export class Passage implements Guest, Recipient {
  readonly #road: Road;
  readonly #request: WireRequest;
  readonly #landing: Landing<Exchange>;
  readonly #startedAtMs = performance.now();
  #takeBack: (() => void) | undefined;
  #stay: Stay | undefined;
  #trial: Trial | undefined;
  #exchange: OneExchange | undefined;
  /** A call that is given up may still hold its connection; one that is answered first learns what it can from that. */
  #isOver = false;
  #isHeld = true;

  constructor(road: Road, request: WireRequest, landing: Landing<Exchange>) {
    this.#road = road;
    this.#request = request;
    this.#landing = landing;
  }

  begin(): void {
    const { signal } = this.#request;
    try {
      if (signal.aborted) throw signal.reason;
      this.#stay = this.#enter();
    } catch (error) {
      this.#turnBack(error as Error);
      return;
    }
    signal.addEventListener('abort', this.#onAbort);
    if (this.#stay.isAdmitted) this.admitted();
  }

  #enter(): Stay {
    const { breaker, queue } = this.#road;
    const { caller } = this.#request;
    if (breaker.refuses()) throw new UpstreamSpared('breaker');
    this.#takeBack = caller.pay?.();
    return queue.enter(caller.owner, this);
  }

  /** The gate may have closed, and the breaker opened, while the call waited. */
  admitted(): void {
    const { gates, breaker } = this.#road;
    try {
      passGate(gates, this.#request, this.#startedAtMs);
      this.#trial = breaker.begin();
      this.#exchange = this.#prepare();
    } catch (error) {
      // What did not go out says nothing of the upstream.
      this.#trial?.failed(new UpstreamAbandoned());
      this.#stay?.leave();
      this.#turnBack(error as Error);
      return;
    }
    this.#exchange.begin();
  }

  #prepare(): OneExchange {
    const { sockets, basePath, maxResponseBytes } = this.#road;
    const { caller, path } = this.#request;
    const { apiKey } = caller;
    const traceparent = caller.depart?.(path);
    const sent = { path: basePath + path, apiKey, traceparent };
    return new OneExchange(sockets, sent, maxResponseBytes, this);
  }

  refused(reason: UpstreamSpared): void {
    this.#turnBack(reason);
  }

  answered(answer: Exchange): void {
    try {
      this.#trial?.answered(answer.status);
      this.#learn(answer);
    } finally {
      this.#end();
      this.#landing.answered(answer);
    }
  }

  failed(error: Error): void {
    try {
      this.#trial?.failed(error);
      const call = this.#tell('network', null);
      if (!(error instanceof UpstreamAbandoned)) this.#road.onFailure?.(call, this.#request.caller, error);
    } finally {
      this.#end();
      this.#landing.failed(error);
    }
  }

  released(): void {
    this.#isHeld = false;
    if (this.#isOver) this.#stay?.leave();
  }

  takeRepeat(): boolean {
    if (this.#request.isRepeated) return false;
    this.#request.isRepeated = true;
    return true;
  }

  readonly #onAbort = () => {
    const { reason } = this.#request.signal;
    if (this.#exchange) {
      this.#exchange.end(reason);
      return;
    }
    this.#stay?.leave();
    this.#turnBack(reason, 'queue');
  };

  /** The call does not go out, because of `by`, if that is to be told. */
  #turnBack(reason: Error, by = reason instanceof UpstreamSpared ? reason.by : null): void {
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    this.#takeBack?.();
    try {
      if (by) this.#tell(by, null);
    } finally {
      this.#landing.failed(reason);
    }
  }

  #end(): void {
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    this.#isOver = true;
    // What has waited long is not to hold what it brought: the collector may come to the one long after the other.
    this.#exchange = undefined;
    if (!this.#isHeld) this.#stay?.leave();
  }

  #learn({ status, headers }: Exchange): void {
    const { gates, onFailure } = this.#road;
    const { caller } = this.#request;
    const wait = status === 429 ? retryAfterFrom(headers['retry-after'], Date.now()) : undefined;
    const call = this.#tell('network', status, wait === undefined ? undefined : { retryAfter: wait });
    if (status !== 200 && status !== 404) onFailure?.(call, caller);
    if (wait !== undefined) gates.close(caller, wait);
  }

  #tell(source: 'network' | 'queue' | 'breaker', status: number | null, more?: More) {
    const { caller, path } = this.#request;
    return tell(caller, path, this.#startedAtMs, source, status, more);
  }
}

/** @throws UpstreamRateLimited while the key's gate is closed */
export function passGate(gates: Gates, { caller, path }: WireRequest, sinceMs = performance.now()): void {
  const seconds = gates.secondsClosed(caller);
  if (seconds === 0) return;
  tell(caller, path, sinceMs, 'gate', 429, { retryAfter: seconds });
  throw new UpstreamRateLimited(seconds);
}
