import type { Layer } from '../call.ts';
import { UpstreamTimeout } from '../errors.ts';

/** Aborts a call that has no outcome after `timeoutMs`, its wait for a connection and its retry included. */
export function deadline(timeoutMs: number): Layer {
  return (next) => (request, done) => {
    const expire = () => request.signal.abort(() => new UpstreamTimeout(timeoutMs));
    // It does not keep the process running.
    const timer = setTimeout(expire, timeoutMs).unref();
    next(request, (outcome) => {
      clearTimeout(timer);
      done(outcome);
    });
  };
}
