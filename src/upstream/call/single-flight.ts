import type { Aborter } from '../../abort.ts';
import { mayBeCausedByInclude, UpstreamCancelled, UpstreamRateLimited } from '../errors.ts';
import type { Layer, ResponseHandler, UpstreamRequest, UpstreamResponse } from '../layer.ts';
import { reportCall } from '../report.ts';
import type { Target } from '../targets.ts';

/**
 * Joins a request to a call in flight of the same key that returns as much or more, or else makes a call, which is aborted
 * when the last of its waiters leaves. Its outcome goes to its waiters and is not kept.
 */
export interface SingleFlight {
  readonly layer: Layer;
  /** How many calls in flight can be joined. */
  readonly size: number;
}

/** `isAlone`: joins a call for this very path only. */
type Join = (request: UpstreamRequest, handler: ResponseHandler, isAlone: boolean) => void;

export function createSingleFlight(): SingleFlight {
  const inFlight = new InFlightCalls();

  const layer: Layer = (next) => {
    const join: Join = (request, handler, isAlone) => {
      const { caller, target } = request;
      if (caller.signal.aborted) return handler.onError(caller.signal.reason);
      // A digest has one length: no two of these pairs give one key.
      const key = caller.keyHash + target.resource;
      const joined = inFlight.find(key, target, isAlone);
      if (joined) return joined.join(new JoinedWaiter(joined, request, handler, join), request);
      const call = new InFlightCall(key, request, inFlight);
      inFlight.add(call);
      call.add(new Waiter(call, request, handler));
      next(request.start(), call);
    };
    return (request, handler) => join(request, handler, false);
  };

  return {
    layer,
    get size() {
      return inFlight.size;
    },
  };
}

/** The calls that can be joined. */
class InFlightCalls {
  size = 0;
  /** By key and resource; seldom more than one. */
  readonly #calls = new Map<string, InFlightCall[]>();

  find(key: string, target: Target, isAlone: boolean): InFlightCall | undefined {
    const calls = this.#calls.get(key);
    if (!calls) return undefined;
    for (const path of isAlone ? [target.path] : target.paths()) {
      const call = calls.find((one) => one.path === path && !one.signal.aborted);
      if (call) return call;
    }
    return undefined;
  }

  add(call: InFlightCall): void {
    const calls = this.#calls.get(call.key);
    if (calls) calls.push(call);
    else this.#calls.set(call.key, [call]);
    this.size += 1;
  }

  /** Does nothing where it is removed already. */
  remove(call: InFlightCall): void {
    const calls = this.#calls.get(call.key);
    if (!calls?.includes(call)) return;
    calls.splice(calls.indexOf(call), 1);
    if (calls.length === 0) this.#calls.delete(call.key);
    this.size -= 1;
  }
}

/** One call, and the requests that wait for its outcome. */
class InFlightCall implements ResponseHandler {
  readonly key: string;
  readonly path: string;
  /** Aborts the call. */
  readonly signal: Aborter;
  readonly #request: UpstreamRequest;
  readonly #inFlight: InFlightCalls;
  #waiters = noWaiters;

  constructor(key: string, request: UpstreamRequest, inFlight: InFlightCalls) {
    this.key = key;
    this.path = request.target.path;
    this.signal = request.signal;
    this.#request = request;
    this.#inFlight = inFlight;
  }

  /** From now on the call is retried if any of its requests is. */
  join(waiter: Waiter, { isPoll }: UpstreamRequest): void {
    this.#request.isPoll &&= isPoll;
    this.add(waiter);
  }

  add(waiter: Waiter): void {
    // A literal has room for one, as most calls need; `push` to an empty array reserves room for 17.
    if (this.#waiters.length === 0) this.#waiters = [waiter];
    else this.#waiters.push(waiter);
  }

  remove(waiter: Waiter): void {
    this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
    if (this.#waiters.length > 0) return;
    this.#inFlight.remove(this);
    this.signal.abort(() => new UpstreamCancelled());
  }

  onResponse(response: UpstreamResponse): void {
    for (const waiter of this.#end()) waiter.resolve(response);
  }

  onError(error: Error): void {
    for (const waiter of this.#end()) waiter.reject(error);
  }

  onReleased(): void {}

  #end(): Waiter[] {
    // First, so that no request joins a call whose outcome another has.
    this.#inFlight.remove(this);
    const waiters = this.#waiters;
    this.#waiters = noWaiters;
    return waiters;
  }
}

const noWaiters: Waiter[] = [];

/** A request that waits for a call: it gets the outcome of that, or the reason of its caller's signal when that aborts first. */
class Waiter {
  protected readonly request: UpstreamRequest;
  protected readonly handler: ResponseHandler;
  readonly #onAbort: () => void;

  constructor(call: InFlightCall, request: UpstreamRequest, handler: ResponseHandler) {
    this.request = request;
    this.handler = handler;
    this.#onAbort = () => {
      call.remove(this);
      this.reject(request.caller.signal.reason);
    };
    request.caller.signal.addEventListener('abort', this.#onAbort);
  }

  resolve(response: UpstreamResponse): void {
    this.request.caller.signal.removeEventListener('abort', this.#onAbort);
    this.onResponse(response);
  }

  reject(error: Error): void {
    this.request.caller.signal.removeEventListener('abort', this.#onAbort);
    this.onError(error);
  }

  protected onResponse(response: UpstreamResponse): void {
    this.handler.onResponse(response);
  }

  protected onError(error: Error): void {
    this.handler.onError(error);
  }
}

/** A request that has joined a call of another. A larger call that fails because of its relations is not its outcome. */
class JoinedWaiter extends Waiter {
  readonly #joinedAtMs = performance.now();
  readonly #sentPath: string;
  readonly #join: Join;

  constructor(call: InFlightCall, request: UpstreamRequest, handler: ResponseHandler, join: Join) {
    super(call, request, handler);
    this.#sentPath = call.path;
    this.#join = join;
  }

  protected override onResponse(response: UpstreamResponse): void {
    this.#report(response.status, response.retryAfter);
    if (response.status >= 500 && this.#isSmaller()) this.#sendAlone();
    else super.onResponse(response);
  }

  protected override onError(error: Error): void {
    if (error instanceof UpstreamRateLimited) this.#report(429, error.retryAfter);
    else this.#report(null);
    if (mayBeCausedByInclude(error) && this.#isSmaller()) this.#sendAlone();
    else super.onError(error);
  }

  #report(status: number | null, retryAfter?: number): void {
    const { caller, target } = this.request;
    reportCall(caller, target.path, this.#joinedAtMs, 'coalesced', status, { retryAfter });
  }

  #isSmaller(): boolean {
    return this.request.target.path !== this.#sentPath;
  }

  /** After the other waiters: they have the outcome first. */
  #sendAlone(): void {
    queueMicrotask(() => this.#join(this.request, this.handler, true));
  }
}
