import type { KeyHolder } from '../caller.ts';
import { UpstreamRateLimited } from '../errors.ts';
import { DecoratorHandler, type Layer, type UpstreamResponse } from '../layer.ts';
import { reject } from '../report.ts';
import { createExpiringMap, secondsFromMs } from './expiring-map.ts';

/** The cool-down of keys whose rate limit is exceeded: no call is sent for them until it is over. */
export interface RateLimitGate {
  /** Closes the gate of a key; of several closures the longest counts. */
  close(caller: KeyHolder, seconds: number): void;
  /** Whole seconds until the gate of the key opens; 0 where it is open. */
  secondsClosed(caller: KeyHolder): number;
  /** How many gates are closed. */
  count(): number;
}

/** The gates of this process. */
export function createRateLimitGate(): RateLimitGate {
  const closed = createExpiringMap();
  return {
    close: ({ keyHash }, seconds) => closed.extend(keyHash, seconds * 1000),
    secondsClosed: ({ keyHash }) => (closed.isEmpty() ? 0 : secondsFromMs(closed.leftMs(keyHash))),
    count: () => closed.count(),
  };
}

/** Rejects requests of a key while its gate is closed. */
export function rejectRateLimited(gate: RateLimitGate): Layer {
  return (next) => (request, handler) => {
    const seconds = gate.secondsClosed(request.caller);
    if (seconds === 0) return next(request, handler);
    reject(request, handler, 'rate-limited', new UpstreamRateLimited(seconds), seconds);
  };
}

/** Rejects requests of a key while its gate is closed, and closes it after a 429 with `Retry-After`. */
export function rateLimitGate(gate: RateLimitGate): Layer {
  class Recorder extends DecoratorHandler {
    override onResponse(response: UpstreamResponse): void {
      if (response.retryAfter !== undefined) gate.close(this.request.caller, response.retryAfter);
      this.handler.onResponse(response);
    }
  }

  return (next) =>
    rejectRateLimited(gate)((request, handler) => next(request, new Recorder(request, handler)));
}
