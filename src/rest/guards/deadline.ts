import type { Aborter } from '../abort.ts';
import type { Layer } from '../call.ts';
import { UpstreamTimeout } from '../errors.ts';

/** Aborts a call that has no outcome after `timeoutMs`, its wait for a connection and its retry included. */
export function deadline(timeoutMs: number): Layer {
  return (next) => (request, done) => {
    const timer = startDeadline(timeoutMs, request.signal);
    next(request, (outcome) => {
      clearTimeout(timer);
      done(outcome);
    });
  };
}

/**
 * Aborts `signal` with an UpstreamTimeout after `timeoutMs`, unless the timer is cleared before. It does not keep the
 * process running.
 */
export function startDeadline(timeoutMs: number, signal: Aborter): NodeJS.Timeout {
  return setTimeout(() => signal.abort(() => new UpstreamTimeout(timeoutMs)), timeoutMs).unref();
}
