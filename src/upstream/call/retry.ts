import { UpstreamBudgetExceeded, UpstreamRejected, UpstreamTimeout, UpstreamUnavailable } from '../errors.ts';
import {
  DecoratorHandler,
  type Layer,
  type ResponseHandler,
  type Send,
  UpstreamRequest,
  type UpstreamResponse,
} from '../layer.ts';

const MAX_DELAY_MS = 100;
/** The retries that are allowed before any call has added to the retry budget, and the most that it can hold. */
const MAX_RETRY_BUDGET = 10;
const retriableStatuses = [502, 503, 504];

/**
 * Retries once, with jitter, after a 502, 503, 504 or a lost connection, within a retry budget of `percent` of the
 * calls. If the retry is rejected or times out, the first outcome is reported. A request that the transport has
 * repeated is not retried.
 */
export function retry(percent: number, random: () => number = Math.random): Layer {
  const budget = new RetryBudget(percent);
  return (next) => (request, handler) => {
    if (!request.target.fromJson) return next(request, handler);
    budget.add();
    next(request, new FirstAttempt(next, request, handler, budget, random));
  };
}

class RetryBudget {
  readonly #perCall: number;
  #retries: number;

  constructor(percent: number) {
    this.#perCall = percent / 100;
    this.#retries = percent > 0 ? MAX_RETRY_BUDGET : 0;
  }

  add(): void {
    this.#retries = Math.min(this.#retries + this.#perCall, MAX_RETRY_BUDGET);
  }

  take(): boolean {
    if (this.#retries < 1) return false;
    this.#retries -= 1;
    return true;
  }
}

class FirstAttempt extends DecoratorHandler {
  readonly #next: Send;
  readonly #request: UpstreamRequest;
  readonly #budget: RetryBudget;
  readonly #random: () => number;

  constructor(
    next: Send,
    request: UpstreamRequest,
    handler: ResponseHandler,
    budget: RetryBudget,
    random: () => number,
  ) {
    super(handler);
    this.#next = next;
    this.#request = request;
    this.#budget = budget;
    this.#random = random;
  }

  override onResponse(response: UpstreamResponse): void {
    if (isRetriableResponse(response) && this.#mayRetry()) this.#retry(response);
    else super.onResponse(response);
  }

  override onError(error: Error): void {
    if (isRetriableError(error) && this.#mayRetry()) this.#retry(error);
    else super.onError(error);
  }

  #mayRetry(): boolean {
    return !this.#request.isRepeated && this.#budget.take();
  }

  #retry(outcome: UpstreamResponse | Error): void {
    const { caller, target, signal } = this.#request;
    const second = new SecondAttempt(this.handler, outcome);
    const onAbort = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      second.onError(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      this.#next(new UpstreamRequest(caller, target, signal, true), second);
    }, this.#random() * MAX_DELAY_MS);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  }
}

class SecondAttempt extends DecoratorHandler {
  readonly #first: UpstreamResponse | Error;

  constructor(handler: ResponseHandler, first: UpstreamResponse | Error) {
    super(handler);
    this.#first = first;
  }

  override onError(error: Error): void {
    if (!saysLessThanFirst(error)) super.onError(error);
    else if (this.#first instanceof Error) super.onError(this.#first);
    else super.onResponse(this.#first);
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
