import { type Done, type Layer, type Outcome, UpstreamRequest } from '../call.ts';
import { type ApiKey, startDeadline } from '../caller.ts';
import { UpstreamBudgetExceeded, UpstreamRejected, UpstreamTimeout, UpstreamUnavailable } from '../errors.ts';
import { memoized } from '../memo.ts';
import { healthTarget } from '../targets.ts';

const MAX_RETRY_DELAY_MS = 100;
/** The retries that a budget allows before any call has added to it, and the most that it holds. */
const MAX_RETRIES = 10;

/**
 * Aborts a call after `timeoutMs`, and retries it once, with jitter, within a budget of `percent` of the calls of its
 * key. If the retry is rejected or times out, the first outcome is reported.
 */
export function retry(timeoutMs: number, percent: number, random: () => number = Math.random): Layer {
  const most = percent > 0 ? MAX_RETRIES * 100 : 0;
  /** In hundredths of a retry, of which each call adds `percent`. */
  const budgetOf = memoized((_: ApiKey) => ({ left: most }));

  return (next) => (request, done) => {
    const { caller, target, signal } = request;
    const deadline = startDeadline(timeoutMs, signal);
    const end: Done = (outcome) => {
      clearTimeout(deadline);
      done(outcome);
    };
    if (target === healthTarget) return next(request, end);
    const budget = budgetOf(caller.key);
    budget.left = Math.min(budget.left + percent, most);
    next(request, (first) => {
      if (!isRetriable(first) || request.isPoll || budget.left < 100) return end(first);
      budget.left -= 100;
      const onSecond = (second: Outcome) => end(isCutShort(second) ? first : second);
      const repeat = () => {
        clearTimeout(pause);
        signal.removeEventListener('abort', repeat);
        if (signal.aborted) return onSecond(signal.reason);
        const repeated = new UpstreamRequest(caller, target, signal);
        repeated.startedAtMs = performance.now();
        repeated.attempt = 2;
        next(repeated, onSecond);
      };
      const pause = setTimeout(repeat, random() * MAX_RETRY_DELAY_MS);
      signal.addEventListener('abort', repeat);
    });
  };
}

function isRetriable(outcome: Outcome): boolean {
  if (outcome instanceof Error)
    return outcome instanceof UpstreamUnavailable && !(outcome instanceof UpstreamRejected);
  // An upstream that sends Retry-After is not called before.
  return [408, 425, 502, 503, 504].includes(outcome.status) && outcome.headers['retry-after'] === undefined;
}

/** The retry was not sent, or had too little time. */
function isCutShort(second: Outcome): boolean {
  return [UpstreamRejected, UpstreamTimeout, UpstreamBudgetExceeded].some((kind) => second instanceof kind);
}
