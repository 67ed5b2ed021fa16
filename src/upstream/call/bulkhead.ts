import { UpstreamRejected } from '../errors.ts';
import {
  DecoratorHandler,
  type Layer,
  type ResponseHandler,
  type Send,
  type UpstreamRequest,
} from '../layer.ts';
import { reject } from '../report.ts';
import type { FairLimiter, Permit, Waiter } from './fair-limiter.ts';

/** Lets a request wait until the limiter admits it, and holds the permit until the connection is free. */
export function bulkhead(limiter: FairLimiter): Layer {
  return (next) => (request, handler) => new LimitedCall(limiter, next, request, handler).start();
}

class LimitedCall extends DecoratorHandler implements Waiter {
  readonly #limiter: FairLimiter;
  readonly #next: Send;
  readonly #request: UpstreamRequest;
  #permit: Permit | null = null;
  /** Set while the call waits. */
  #onAbort: (() => void) | null = null;

  constructor(limiter: FairLimiter, next: Send, request: UpstreamRequest, handler: ResponseHandler) {
    super(handler);
    this.#limiter = limiter;
    this.#next = next;
    this.#request = request;
  }

  start(): void {
    const { caller, signal } = this.#request;
    const permit = this.#limiter.acquire(caller.keyHash, this);
    this.#permit = permit;
    if (permit?.isAdmitted) this.#next(this.#request, this);
    else if (permit) {
      this.#onAbort = () => {
        permit.release();
        this.#reject(signal.reason);
      };
      signal.addEventListener('abort', this.#onAbort);
    } else this.onRejected();
  }

  onAdmitted(): void {
    this.#stopWaiting();
    this.#next(this.#request, this);
  }

  onRejected(): void {
    this.#reject(new UpstreamRejected());
  }

  override onError(error: Error): void {
    if (!this.#request.isSent) this.#permit?.release();
    super.onError(error);
  }

  override onReleased(): void {
    this.#permit?.release();
  }

  #reject(error: Error): void {
    this.#stopWaiting();
    reject(this.#request, this.handler, 'queue-full', error);
  }

  #stopWaiting(): void {
    if (this.#onAbort) this.#request.signal.removeEventListener('abort', this.#onAbort);
    this.#onAbort = null;
  }
}
