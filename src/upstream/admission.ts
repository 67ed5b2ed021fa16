import type { Breaker } from './breaker.ts';
import { type Done, type Layer, rejected, type UpstreamRequest } from './call.ts';
import {
  UpstreamBudgetExceeded,
  UpstreamCancelled,
  UpstreamRateLimited,
  UpstreamRejected,
} from './errors.ts';
import type { FairLimiter, Permit } from './limiter.ts';
import type { RateLimitGate } from './rate-limit/rate-limit-gate.ts';

export interface AdmissionOptions {
  /** The rate limits of the keys. */
  gate: RateLimitGate;
  breaker: Breaker;
  /** The connections, and the queue for them. */
  limiter: FairLimiter;
}

/**
 * Admits a call, or rejects it before it is sent: while the rate limit of its key is exceeded, while the circuit is open,
 * when the call budget of its operation is used up, and when too many calls wait for a connection. Gate and circuit are
 * asked when the call arrives and again when it leaves the queue. The outcome of the call is recorded.
 */
export function admission({ gate, breaker, limiter }: AdmissionOptions): Layer {
  /** Why the call is rejected now; undefined where it is not. */
  function rejectionOf(request: UpstreamRequest): Error | undefined {
    const seconds = gate.secondsClosed(request.caller);
    if (seconds > 0) return rejected(request, 'rate-limited', new UpstreamRateLimited(seconds), seconds);
    return breaker.isRejecting() ? rejected(request, 'circuit-open', new UpstreamRejected()) : undefined;
  }

  return (next) => {
    const send: Admit = (request, connection, done) => {
      const rejection = rejectionOf(request);
      if (rejection) return giveUp(request, connection, rejection, done);
      const permit = breaker.acquire();
      request.connection = connection;
      next(request, (outcome) => {
        if (outcome instanceof Error) {
          // A call that was not sent says nothing of the upstream.
          permit.onError(request.isSent ? outcome : new UpstreamCancelled());
          if (request.isSent) done(outcome);
          else giveUp(request, connection, outcome, done);
          return;
        }
        if (outcome.retryAfter !== undefined) gate.close(request.caller, outcome.retryAfter);
        permit.onResponse(outcome.status);
        done(outcome);
      });
    };

    return (request, done) => {
      const { caller } = request;
      const rejection = rejectionOf(request) ?? caller.budget?.reserve();
      if (rejection) return done(rejection);
      const connection = limiter.acquire(caller.keyHash);
      if (connection?.isAdmitted) send(request, connection, done);
      else if (connection) wait(request, connection, done, send);
      else giveUp(request, null, rejected(request, 'queue-full', new UpstreamRejected()), done);
    };
  };
}

type Admit = (request: UpstreamRequest, connection: Permit, done: Done) => void;

/** Ends a call that was not sent. */
function giveUp(request: UpstreamRequest, connection: Permit | null, error: Error, done: Done): void {
  connection?.release();
  request.caller.budget?.release();
  done(error);
}

/** Waits in the queue, until the limiter admits or rejects the call or its signal aborts. */
function wait(request: UpstreamRequest, connection: Permit, done: Done, admit: Admit): void {
  const { signal } = request;
  const end = (error: Error) => {
    signal.removeEventListener('abort', onAbort);
    giveUp(request, connection, rejected(request, 'queue-full', error), done);
  };
  const onAbort = () => end(signal.reason);
  signal.addEventListener('abort', onAbort);
  connection.waiter = {
    onAdmitted() {
      signal.removeEventListener('abort', onAbort);
      admit(request, connection, done);
    },
    onRejected: () => end(new UpstreamRejected()),
  };
}

/** How many REST calls one operation has made, of how many it may. */
export class CallBudget {
  readonly limit: number;
  used = 0;
  #rejected = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Takes one call; an error when all are used. */
  reserve(): UpstreamBudgetExceeded | undefined {
    if (this.used < this.limit) {
      this.used += 1;
      return undefined;
    }
    this.#rejected += 1;
    return new UpstreamBudgetExceeded(this.limit + this.#rejected, this.limit);
  }

  /** Puts back a call that was not sent. */
  release(): void {
    this.used -= 1;
  }
}
