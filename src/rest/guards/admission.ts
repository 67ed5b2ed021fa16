import { LRUCache } from 'lru-cache';
import type { Gauge } from '../../observers/gauges.ts';
import { type Done, type Layer, reportRejected, type Send, type UpstreamRequest } from '../call.ts';
import type { ApiKey } from '../caller.ts';
import { UpstreamCancelled, UpstreamRateLimited, UpstreamRejected } from '../errors.ts';
import type { Breaker } from './breaker.ts';
import type { FairQueue, Permit } from './fair-queue.ts';

/** Rejects a call by the rate limit of its key, an open circuit, the budget of its operation, or a full queue. */
export function admission(gate: RateLimitGate, breaker: Breaker, queue: FairQueue): Layer {
  function rejectionByGuards(request: UpstreamRequest): Error | undefined {
    const leftS = gate.secondsClosed(request.caller.key);
    if (leftS > 0) return reportRejected(request, 'rate-limited', new UpstreamRateLimited(leftS), leftS);
    return breaker.isRejecting(request.caller.key)
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
        const permit = queue.acquire(caller.key);
        if (!permit)
          return giveUp(request, reportRejected(request, 'queue-full', new UpstreamRejected()), done);
        request.permit = permit;
        if (permit.state === 'queued') return wait(request, permit, done, admit);
      }
      const record = breaker.acquire(caller.key, request.target.resource);
      next(request, (outcome) => {
        if (!request.isSent && outcome instanceof Error) {
          // No failure of the upstream.
          record(new UpstreamCancelled());
          return giveUp(request, outcome, done);
        }
        record(outcome instanceof Error ? outcome : outcome.status);
        if (!(outcome instanceof Error) && outcome.retryAfter !== undefined)
          gate.close(caller.key, outcome.retryAfter);
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

/** Waits until the queue admits or rejects the call or its signal aborts. */
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

/** Of more keys the oldest are dropped. */
const MAX_KEYS = 10_000;

/** The cool-down of keys whose rate limit is exceeded: no call is sent for them until it is over. */
export class RateLimitGate {
  readonly #closed = new LRUCache<string, true>({ max: MAX_KEYS, ttl: 1, ttlResolution: 0 });
  readonly gauge: Gauge = {
    name: 'portico_rate_limited_keys',
    help: 'Keys whose REST API rate limit is exhausted',
    read: () => {
      this.#closed.purgeStale();
      return this.#closed.size;
    },
  };

  /** Closes the gate of a key; of several closures the longest counts. */
  close({ hash }: ApiKey, seconds: number): void {
    const ms = seconds * 1000;
    if (ms > this.#closed.getRemainingTTL(hash)) this.#closed.set(hash, true, { ttl: ms });
  }

  /** Whole seconds until the gate of the key opens, rounded up; 0 if it is open. */
  secondsClosed({ hash }: ApiKey): number {
    return this.#closed.size && Math.ceil(Math.max(0, this.#closed.getRemainingTTL(hash)) / 1000);
  }
}
