import { startDeadline, type Timed } from '../deadline-timer.ts';
import { UpstreamTimeout } from '../errors.ts';
import { DecoratorHandler, type Layer, type UpstreamResponse } from '../layer.ts';

/** Aborts a call that has no outcome after `timeoutMs`, its wait for a connection and its retry included. */
export function deadline(timeoutMs: number): Layer {
  class TimedCall extends DecoratorHandler implements Timed {
    readonly #deadline = startDeadline(timeoutMs, this);

    onDeadline(): void {
      this.request.signal.abort(() => new UpstreamTimeout(timeoutMs));
    }

    override onResponse(response: UpstreamResponse): void {
      this.#deadline.clear();
      this.handler.onResponse(response);
    }

    override onError(error: Error): void {
      this.#deadline.clear();
      this.handler.onError(error);
    }
  }

  return (next) => (request, handler) => next(request, new TimedCall(request, handler));
}
