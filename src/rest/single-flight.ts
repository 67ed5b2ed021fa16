import { remove, type Signal } from './abort.ts';
import { type Done, type Layer, notify, type Outcome, reportCall, type UpstreamRequest } from './call.ts';
import { mayBeCausedByInclude, UpstreamCancelled, UpstreamRateLimited } from './errors.ts';

interface InFlightCall {
  /** The one that made it. */
  readonly request: UpstreamRequest;
  /** The calls in flight that are found with it. */
  readonly near: InFlightCall[];
  waiters: Done[];
}

/**
 * Joins a request to a call in flight of the same key that returns as much or more, or else makes a call,
 * which is aborted when the last of its waiters leaves. Its outcome goes to its waiters and is not kept.
 */
export function singleFlight(): Layer {
  /** By a hash of their resource. A Map that changes with each call would retain ended ones (decision 18). */
  const inFlight = Array.from({ length: 1024 }, (): InFlightCall[] => []);

  function callsNear(resource: string): InFlightCall[] {
    let hash = 0;
    for (let nth = 0; nth < resource.length; nth += 1) hash = (31 * hash + resource.charCodeAt(nth)) & 1023;
    return inFlight[hash] as InFlightCall[];
  }

  return (next) => {
    const send = (request: UpstreamRequest, done: Done, samePathOnly = false) => {
      const { caller, target } = request;
      if (caller.signal.aborted) return done(caller.signal.reason);
      const near = callsNear(target.resource);
      const joined = near.length > 0 ? find(near, request, samePathOnly) : undefined;
      if (joined) return join(joined, request, done);
      const call: InFlightCall = { request, near, waiters: [] };
      near.push(call);
      waitFor(call, caller.signal, done);
      request.startedAtMs = performance.now();
      next(request, (outcome) => {
        // The call is removed first, so that no request joins a call whose outcome another has.
        remove(near, call);
        const { waiters } = call;
        call.waiters = [];
        for (const waiter of waiters) waiter(outcome);
      });
    };

    /** Waits for a call. A larger one that fails because of its relations is not the outcome of a smaller request. */
    function join(call: InFlightCall, request: UpstreamRequest, done: Done): void {
      const { caller, target } = request;
      const joinedAtMs = performance.now();
      const isSmaller = target.path !== call.request.target.path;
      // From now on the call is retried if any of its requests is.
      call.request.isPoll &&= request.isPoll;
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
          remove(call.near, call);
          call.request.signal.abort(() => new UpstreamCancelled());
        }
        waiter(signal.reason);
      };
      if (call.waiters.length > 0) call.waiters.push(waiter);
      else call.waiters = [waiter];
      signal.addEventListener('abort', onAbort);
    }

    return send;
  };
}

/** Of several calls that return enough, one with the smallest path. */
function find(calls: readonly InFlightCall[], { caller, target }: UpstreamRequest, samePathOnly: boolean) {
  const isOfSame = ({ request }: InFlightCall) =>
    request.target.resource === target.resource &&
    request.caller.key.hash === caller.key.hash &&
    !request.signal.aborted;
  // The texts of the larger paths are made only to compare them with one.
  if (!calls.some(isOfSame)) return undefined;
  for (const path of samePathOnly ? [target.path] : target.paths()) {
    const found = calls.find((call) => call.request.target.path === path && isOfSame(call));
    if (found) return found;
  }
  return undefined;
}

function statusOf(outcome: Outcome): [status: number | null, retryAfter?: number | undefined] {
  if (outcome instanceof UpstreamRateLimited) return [429, outcome.retryAfter];
  return outcome instanceof Error ? [null] : [outcome.status, outcome.retryAfter];
}

/** Like `mayBeCausedByInclude`, but before the decoding has made an error of a 5xx. */
function failsByInclude(outcome: Outcome): boolean {
  return outcome instanceof Error ? mayBeCausedByInclude(outcome) : outcome.status >= 500;
}
