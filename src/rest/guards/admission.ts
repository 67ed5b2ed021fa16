import { LRUCache } from 'lru-cache';
import { type Done, type Layer, reportRejected, type Send, type UpstreamRequest } from '../call.ts';
import type { KeyHolder } from '../caller.ts';
import { UpstreamCancelled, UpstreamRateLimited, UpstreamRejected } from '../errors.ts';
import type { Breaker } from './breaker.ts';
import type { FairLimiter, Permit } from './limiter.ts';

/** Rejects a call by the rate limit of its key, an open circuit, the budget of its operation, or a full queue. */
export function admission(gate: RateLimitGate, breaker: Breaker, limiter: FairLimiter): Layer {
  function rejectionByGuards(request: UpstreamRequest): Error | undefined {
    const seconds = gate.secondsClosed(request.caller);
    if (seconds > 0)
      return reportRejected(request, 'rate-limited', new UpstreamRateLimited(seconds), seconds);
    return breaker.isRejecting(request.caller.keyHash)
      ? reportRejected(request, 'circuit-open', new UpstreamRejected())
      : undefined;
  }

  return (next) => {
    /** For a call that arrives, and again when it leaves the queue with its connection. */
    const admit: Send = (request, done) => {
      const { caller } = request;
      const rejection = rejectionByGuards(request);
      if (request.permit) {
        if (rejection) return giveUp(request, rejection, done);
      } else {
        const error = rejection ?? caller.budget?.reserve();
        if (error) return done(error);
        const permit = limiter.acquire(caller.keyHash);
        if (!permit)
          return giveUp(request, reportRejected(request, 'queue-full', new UpstreamRejected()), done);
        request.permit = permit;
        if (permit.state === 'queued') return wait(request, permit, done, admit);
      }
      const record = breaker.acquire(caller.keyHash, request.target.resource);
      next(request, (outcome) => {
        if (!request.isSent && outcome instanceof Error) {
          // No failure of the upstream.
          record(new UpstreamCancelled());
          return giveUp(request, outcome, done);
        }
        record(outcome instanceof Error ? outcome : outcome.status);
        if (!(outcome instanceof Error) && outcome.retryAfter !== undefined) {
          gate.close(caller, outcome.retryAfter);
        }
        done(outcome);
      });
    };
    return admit;
  };
}

function giveUp({ permit, caller }: UpstreamRequest, error: Error, done: Done): void {
  permit?.release();
  caller.budget?.release();
  done(error);
}

/** Waits in the queue, until the limiter admits or rejects the call or its signal aborts. */
function wait(request: UpstreamRequest, permit: Permit, done: Done, admit: Send): void {
  const { signal } = request;
  const end = (error?: Error) => {
    signal.removeEventListener('abort', onAbort);
    if (error) giveUp(request, reportRejected(request, 'queue-full', error), done);
    else admit(request, done);
  };
  const onAbort = () => end(signal.reason);
  signal.addEventListener('abort', onAbort);
  permit.onEnd = (isAdmitted) => end(isAdmitted ? undefined : new UpstreamRejected());
}

/** The cool-down of keys whose rate limit is exceeded: no call is sent for them until it is over. */
type RateLimitGate = ReturnType<typeof createRateLimitGate>;

/** Of more keys the oldest are dropped. */
const MAX_KEYS = 10_000;

export function createRateLimitGate() {
  const closed = new LRUCache<string, true>({ max: MAX_KEYS, ttl: 1, ttlResolution: 0 });
  return {
    /** Closes the gate of a key; of several closures the longest counts. */
    close({ keyHash }: KeyHolder, seconds: number): void {
      const ms = seconds * 1000;
      if (ms > closed.getRemainingTTL(keyHash)) closed.set(keyHash, true, { ttl: ms });
    },
    /** Whole seconds until the gate of the key opens, rounded up; 0 if it is open. */
    secondsClosed: ({ keyHash }: KeyHolder) => Math.ceil(Math.max(0, closed.getRemainingTTL(keyHash)) / 1000),
    count(): number {
      closed.purgeStale();
      return closed.size;
    },
  };
}
