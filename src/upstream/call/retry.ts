import { UpstreamBudgetExceeded, UpstreamRejected, UpstreamTimeout, UpstreamUnavailable } from '../errors.ts';
import {
  DecoratorHandler,
  type Layer,
  type ResponseHandler,
  UpstreamRequest,
  type UpstreamResponse,
} from '../layer.ts';

const MAX_DELAY_MS = 100;
/** One retry for five calls: an outage adds at most a fifth to the load of the REST API. */
const RETRY_PERCENT = 20;
/** The retries that are allowed before any call has added to the retry budget, and the most that it can hold. */
const MAX_RETRY_BUDGET = 10;
const retriableStatuses = [502, 503, 504];

/**
 * Retries once, with jitter, after a 502, 503, 504 or a lost connection, within a retry budget of `percent` of the
 * calls. If the retry is rejected or times out, the first outcome is reported. A request that the transport has
 * repeated is not retried.
 */
export function retry(percent = RETRY_PERCENT, random: () => number = Math.random): Layer {
  let budget = percent > 0 ? MAX_RETRY_BUDGET : 0;

  return (next) => {
    class FirstAttempt extends DecoratorHandler {
      override onResponse(response: UpstreamResponse): void {
        if (isRetriableResponse(response) && this.#mayRetry()) this.#retry(response);
        else this.handler.onResponse(response);
      }

      override onError(error: Error): void {
        if (isRetriableError(error) && this.#mayRetry()) this.#retry(error);
        else this.handler.onError(error);
      }

      #mayRetry(): boolean {
        if (this.request.isRepeated || this.request.isPoll || budget < 1) return false;
        budget -= 1;
        return true;
      }

      #retry(outcome: UpstreamResponse | Error): void {
        const { caller, target, signal } = this.request;
        const second = new SecondAttempt(this.request, this.handler, outcome);
        const onAbort = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          second.onError(signal.reason);
        };
        const timer = setTimeout(() => {
          signal.removeEventListener('abort', onAbort);
          const request = new UpstreamRequest(caller, target, signal).start();
          request.isRepeated = true;
          next(request, second);
        }, random() * MAX_DELAY_MS);
        signal.addEventListener('abort', onAbort);
        if (signal.aborted) onAbort();
      }
    }

    return (request, handler) => {
      if (!request.target.fromJson) return next(request, handler);
      budget = Math.min(budget + percent / 100, MAX_RETRY_BUDGET);
      next(request, new FirstAttempt(request, handler));
    };
  };
}

class SecondAttempt extends DecoratorHandler {
  readonly #first: UpstreamResponse | Error;

  constructor(request: UpstreamRequest, handler: ResponseHandler, first: UpstreamResponse | Error) {
    super(request, handler);
    this.#first = first;
  }

  override onError(error: Error): void {
    if (!saysLessThanFirst(error)) this.handler.onError(error);
    else if (this.#first instanceof Error) this.handler.onError(this.#first);
    else this.handler.onResponse(this.#first);
  }
}

function isRetriableResponse({ status, headers }: UpstreamResponse): boolean {
  // An upstream that sends Retry-After is not called before.
  return retriableStatuses.includes(status) && headers['retry-after'] === undefined;
}

function isRetriableError(error: Error): boolean {
  return error instanceof UpstreamUnavailable && !(error instanceof UpstreamRejected);
}

/** The retry was not sent, or had too little time. */
function saysLessThanFirst(error: Error): boolean {
  return [UpstreamRejected, UpstreamTimeout, UpstreamBudgetExceeded].some((kind) => error instanceof kind);
}
