import type { Signal } from '../../abort.ts';
import { type Layer, type Outcome, UpstreamRequest } from '../call.ts';
import { UpstreamBudgetExceeded, UpstreamRejected, UpstreamTimeout, UpstreamUnavailable } from '../errors.ts';

const MAX_RETRY_DELAY_MS = 100;
/** One retry for five calls: an outage adds at most a fifth to the load of the REST API. */
const RETRY_PERCENT = 20;
/** The retries that are allowed before any call has added to the retry budget, and the most that it holds. */
const MAX_RETRY_BUDGET = 10;

/**
 * Retries once, with jitter, after a 408, 425, 502, 503, 504 or a lost connection, within a retry budget of `percent`
 * of the calls. If the retry is rejected or times out, the first outcome is reported. A request that the
 * transport has repeated is not retried.
 */
export function retry(percent = RETRY_PERCENT, random: () => number = Math.random): Layer {
  let budget = percent > 0 ? MAX_RETRY_BUDGET : 0;

  return (next) => (request, done) => {
    const { caller, target, signal } = request;
    if (!target.fromJson) return next(request, done);
    budget = Math.min(budget + percent / 100, MAX_RETRY_BUDGET);
    next(request, (first) => {
      if (!isRetriable(first) || request.isRepeated || request.noRetry || budget < 1) return done(first);
      budget -= 1;
      const onSecond = (second: Outcome) => done(isCutShort(second) ? first : second);
      wait(random() * MAX_RETRY_DELAY_MS, signal, () => {
        if (signal.aborted) return onSecond(signal.reason);
        const repeated = new UpstreamRequest(caller, target, signal);
        repeated.startedAtMs = performance.now();
        repeated.isRepeated = true;
        next(repeated, onSecond);
      });
    });
  };
}

function isRetriable(outcome: Outcome): boolean {
  if (outcome instanceof Error)
    return outcome instanceof UpstreamUnavailable && !(outcome instanceof UpstreamRejected);
  // An upstream that sends Retry-After is not called before.
  return [408, 425, 502, 503, 504].includes(outcome.status) && outcome.headers.get('retry-after') === null;
}

/** The retry was not sent, or had too little time. */
function isCutShort(second: Outcome): boolean {
  return [UpstreamRejected, UpstreamTimeout, UpstreamBudgetExceeded].some((kind) => second instanceof kind);
}

/** Calls `onEnd` once: after `ms`, or when the signal aborts. */
function wait(ms: number, signal: Signal, onEnd: () => void): void {
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    onEnd();
  };
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
}
