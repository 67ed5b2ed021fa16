import { UpstreamRejected } from '../errors.ts';
import { DecoratorHandler, type Layer } from '../layer.ts';
import { reject } from '../report.ts';
import type { FairLimiter, Permit, Waiter } from './fair-limiter.ts';

/** Lets a request wait until the limiter admits it, and holds the permit until the connection is free. */
export function bulkhead(limiter: FairLimiter): Layer {
  return (next) => {
    class LimitedCall extends DecoratorHandler implements Waiter {
      #permit: Permit | null = null;
      /** Set while the call waits. */
      #onAbort: (() => void) | null = null;

      start(): void {
        const { caller, signal } = this.request;
        const permit = limiter.acquire(caller.keyHash, this);
        this.#permit = permit;
        if (permit?.isAdmitted) next(this.request, this);
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
        next(this.request, this);
      }

      onRejected(): void {
        this.#reject(new UpstreamRejected());
      }

      override onError(error: Error): void {
        if (!this.request.isSent) this.#permit?.release();
        this.handler.onError(error);
      }

      override onReleased(): void {
        this.#permit?.release();
      }

      #reject(error: Error): void {
        this.#stopWaiting();
        reject(this.request, this.handler, 'queue-full', error);
      }

      #stopWaiting(): void {
        if (this.#onAbort) this.request.signal.removeEventListener('abort', this.#onAbort);
        this.#onAbort = null;
      }
    }

    return (request, handler) => new LimitedCall(request, handler).start();
  };
}
