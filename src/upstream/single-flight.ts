import type { Aborter, Signal } from '../abort.ts';
import { type Done, type Layer, type Outcome, reportCall, type UpstreamRequest } from './call.ts';
import { mayBeCausedByInclude, UpstreamCancelled, UpstreamRateLimited } from './errors.ts';
import type { Target } from './target.ts';

/**
 * Joins a request to a call in flight of the same key that returns as much or more, or else makes a call, which is aborted
 * when the last of its waiters leaves. Its outcome goes to its waiters and is not kept.
 */
export interface SingleFlight {
  readonly layer: Layer;
  /** How many calls in flight can be joined. */
  readonly size: number;
}

export function createSingleFlight(): SingleFlight {
  const inFlight = new InFlightCalls();

  const layer: Layer = (next) => {
    const send: Join = (request, done, isAlone) => {
      const { caller, target } = request;
      if (caller.signal.aborted) return done(caller.signal.reason);
      // A digest has one length: no two of these pairs give one key.
      const key = caller.keyHash + target.resource;
      const joined = inFlight.find(key, target, isAlone);
      if (joined) return join(joined, request, done);
      const call = new InFlightCall(key, request);
      inFlight.add(call);
      waitFor(call, caller.signal, done);
      next(request.start(), (outcome) => {
        // First, so that no request joins a call whose outcome another has.
        inFlight.remove(call);
        call.end(outcome);
      });
    };

    /** A larger call that fails because of its relations is not the outcome of a smaller request. */
    function join(call: InFlightCall, request: UpstreamRequest, done: Done): void {
      const { caller, target } = request;
      const joinedAtMs = performance.now();
      const isSmaller = target.path !== call.path;
      call.join(request);
      waitFor(call, caller.signal, (outcome) => {
        const [status, retryAfter] = statusOf(outcome);
        reportCall(caller, target.path, joinedAtMs, 'coalesced', status, { retryAfter });
        // After the other waiters: they have the outcome first.
        if (isSmaller && isCausedByInclude(outcome)) queueMicrotask(() => send(request, done, true));
        else done(outcome);
      });
    }

    /** The outcome of the call, or the reason of the caller's signal when that aborts first. */
    function waitFor(call: InFlightCall, signal: Signal, done: Done): void {
      const waiter = (outcome: Outcome) => {
        signal.removeEventListener('abort', onAbort);
        done(outcome);
      };
      const onAbort = () => {
        call.remove(waiter);
        if (call.isEmpty) {
          inFlight.remove(call);
          call.signal.abort(() => new UpstreamCancelled());
        }
        waiter(signal.reason);
      };
      call.add(waiter);
      signal.addEventListener('abort', onAbort);
    }

    return (request, done) => send(request, done, false);
  };

  return {
    layer,
    get size() {
      return inFlight.size;
    },
  };
}

/** `isAlone`: joins a call for this very path only. */
type Join = (request: UpstreamRequest, done: Done, isAlone: boolean) => void;

function statusOf(outcome: Outcome): [status: number | null, retryAfter?: number | undefined] {
  if (outcome instanceof UpstreamRateLimited) return [429, outcome.retryAfter];
  return outcome instanceof Error ? [null] : [outcome.status, outcome.retryAfter];
}

function isCausedByInclude(outcome: Outcome): boolean {
  return outcome instanceof Error ? mayBeCausedByInclude(outcome) : outcome.status >= 500;
}

/** One call, and the requests that wait for its outcome. */
class InFlightCall {
  readonly key: string;
  readonly path: string;
  /** Aborts the call. */
  readonly signal: Aborter;
  readonly #request: UpstreamRequest;
  #waiters = noWaiters;

  constructor(key: string, request: UpstreamRequest) {
    this.key = key;
    this.path = request.target.path;
    this.signal = request.signal;
    this.#request = request;
  }

  get isEmpty(): boolean {
    return this.#waiters.length === 0;
  }

  /** From now on the call is retried if any of its requests is. */
  join({ isPoll }: UpstreamRequest): void {
    this.#request.isPoll &&= isPoll;
  }

  add(waiter: Done): void {
    // A literal has room for one, as most calls need; `push` to an empty array reserves room for 17.
    if (this.#waiters.length === 0) this.#waiters = [waiter];
    else this.#waiters.push(waiter);
  }

  remove(waiter: Done): void {
    this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
  }

  end(outcome: Outcome): void {
    const waiters = this.#waiters;
    this.#waiters = noWaiters;
    for (const waiter of waiters) waiter(outcome);
  }
}

const noWaiters: Done[] = [];

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
