import type { Signal } from './abort.ts';
import { type Done, type Layer, notify, type Outcome, reportCall, type UpstreamRequest } from './call.ts';
import { mayBeCausedByInclude, UpstreamCancelled, UpstreamRateLimited } from './errors.ts';
import type { Target } from './targets.ts';

interface InFlightCall {
  readonly keyHash: string;
  readonly target: Target;
  /** The one that made it; null when the call has ended: a map that has grown retains it (decision 18). */
  request: UpstreamRequest | null;
  waiters: Done[];
}

/**
 * Joins a request to a call in flight of the same key that returns as much or more, or else makes a call,
 * which is aborted when the last of its waiters leaves. Its outcome goes to its waiters and is not kept.
 */
export function singleFlight(): Layer {
  /** By resource: most have one call, and the text of a larger call's path is made only to compare it with one. */
  const inFlight = new Map<string, readonly InFlightCall[]>();

  function find({ caller, target }: UpstreamRequest, samePathOnly: boolean): InFlightCall | undefined {
    const calls = inFlight.get(target.resource);
    if (!calls) return undefined;
    for (const path of samePathOnly ? [target.path] : target.paths()) {
      const isEqual = (call: InFlightCall) => call.target.path === path && call.keyHash === caller.keyHash;
      const found = calls.find((call) => isEqual(call) && !call.request?.signal.aborted);
      if (found) return found;
    }
    return undefined;
  }

  function remove(call: InFlightCall): void {
    const { resource } = call.target;
    const others = inFlight.get(resource)?.filter((one) => one !== call) ?? none;
    if (others.length > 0) inFlight.set(resource, others);
    else inFlight.delete(resource);
  }

  return (next) => {
    const send = (request: UpstreamRequest, done: Done, samePathOnly = false) => {
      const { caller, target } = request;
      if (caller.signal.aborted) return done(caller.signal.reason);
      const joined = find(request, samePathOnly);
      if (joined) return join(joined, request, done);
      const call: InFlightCall = { keyHash: caller.keyHash, target, request, waiters: [] };
      inFlight.set(target.resource, [...(inFlight.get(target.resource) ?? none), call]);
      waitFor(call, caller.signal, done);
      request.startedAtMs = performance.now();
      next(request, (outcome) => {
        // The call is removed first, so that no request joins a call whose outcome another has.
        remove(call);
        const { waiters } = call;
        call.waiters = [];
        call.request = null;
        for (const waiter of waiters) waiter(outcome);
      });
    };

    /** Waits for a call. A larger one that fails because of its relations is not the outcome of a smaller request. */
    function join(call: InFlightCall, request: UpstreamRequest, done: Done): void {
      const { caller, target } = request;
      const joinedAtMs = performance.now();
      const isSmaller = target.path !== call.target.path;
      // From now on the call is retried if any of its requests is.
      if (call.request) call.request.isPoll &&= request.isPoll;
      waitFor(call, caller.signal, (outcome) => {
        const [status, retryAfter] = statusOf(outcome);
        if (!(outcome instanceof Error) && outcome.notices) notify(caller.onNotices, outcome.notices);
        reportCall(caller, target.path, joinedAtMs, 'coalesced', status, { retryAfter });
        // A request that is sent again comes after the other waiters: they have the outcome first.
        if (isSmaller && failsByInclude(outcome)) queueMicrotask(() => send(request, done, true));
        else done(outcome);
      });
    }

    /** `done` gets the outcome of the call, or the reason of the caller's signal when that aborts first. */
    function waitFor(call: InFlightCall, signal: Signal, done: Done): void {
      const waiter = (outcome: Outcome) => {
        signal.removeEventListener('abort', onAbort);
        done(outcome);
      };
      const onAbort = () => {
        call.waiters = call.waiters.filter((one) => one !== waiter);
        if (call.waiters.length === 0) {
          remove(call);
          call.request?.signal.abort(() => new UpstreamCancelled());
        }
        waiter(signal.reason);
      };
      call.waiters.push(waiter);
      signal.addEventListener('abort', onAbort);
    }

    return send;
  };
}

const none: never[] = [];

function statusOf(outcome: Outcome): [status: number | null, retryAfter?: number | undefined] {
  if (outcome instanceof UpstreamRateLimited) return [429, outcome.retryAfter];
  return outcome instanceof Error ? [null] : [outcome.status, outcome.retryAfter];
}

/** Like `mayBeCausedByInclude`, but before the decoding has made an error of a 5xx. */
function failsByInclude(outcome: Outcome): boolean {
  return outcome instanceof Error ? mayBeCausedByInclude(outcome) : outcome.status >= 500;
}
