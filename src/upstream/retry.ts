import type { Signal } from '../signal.ts';
import { UpstreamSpared, UpstreamTimeout, UpstreamUnaffordable, UpstreamUnavailable } from './errors.ts';
import type { Exchange } from './exchange.ts';

/** A call that may be made twice; `isRepeat` the second time. */
type Repeatable = (isRepeat: boolean) => Promise<Exchange>;

/** Asks once more where that may help and is affordable. */
export interface Retry {
  /**
   * The outcome of the call, or of a second one where the first met a 502, 503 or 504 or no connection. The second is
   * made after a moment, and only while retries are at most the configured share of the calls.
   */
  run(call: Repeatable, signal: Signal): Promise<Exchange>;
}

const LONGEST_PAUSE_MS = 100;
/** So many retries may come before any call has paid for them. */
const CREDIT = 10;
const transient = [502, 503, 504];

/** `percent` of the calls may be followed by a second one; none at 0. */
export function createRetry(percent: number, random: () => number = Math.random): Retry {
  let affordable = percent > 0 ? CREDIT : 0;

  const isAffordable = () => {
    if (affordable < 1) return false;
    affordable -= 1;
    return true;
  };

  async function again(first: Outcome, call: Repeatable, signal: Signal): Promise<Exchange> {
    const second = await settled(paused(random() * LONGEST_PAUSE_MS, signal).then(() => call(true)));
    return answerFrom(tellsLess(second) ? first : second);
  }

  return {
    run(call, signal) {
      affordable = Math.min(affordable + percent / 100, CREDIT);
      return call(false).then(
        (answer) => (isTransient(answer) && isAffordable() ? again(answer, call, signal) : answer),
        (error: unknown) => {
          if (isFailure(error) && isTransient(error) && isAffordable()) return again(error, call, signal);
          throw error;
        },
      );
    },
  };
}

/** Somewhere in the time, so that the retries of one fault do not arrive together. */
function paused(durationMs: number, signal: Signal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      settle();
    };
    const giveUp = end(() => reject(signal.reason));
    const timer = setTimeout(end(resolve), durationMs);
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
  });
}

type Failure = UpstreamUnavailable | UpstreamTimeout | UpstreamUnaffordable;
type Outcome = Exchange | Failure;

/** A refusal to ask again, or too little time for it, tells less than what the first call met. */
function tellsLess(second: Outcome): boolean {
  return [UpstreamSpared, UpstreamTimeout, UpstreamUnaffordable].some((kind) => second instanceof kind);
}

async function settled(call: Promise<Exchange>): Promise<Outcome> {
  try {
    return await call;
  } catch (error) {
    if (isFailure(error)) return error;
    throw error;
  }
}

function isFailure(error: unknown): error is Failure {
  return [UpstreamUnavailable, UpstreamTimeout, UpstreamUnaffordable].some((kind) => error instanceof kind);
}

function answerFrom(outcome: Outcome): Exchange {
  if (outcome instanceof Error) throw outcome;
  return outcome;
}

function isTransient(outcome: Outcome): boolean {
  if (outcome instanceof Error) {
    return outcome instanceof UpstreamUnavailable && !(outcome instanceof UpstreamSpared);
  }
  // An upstream that says when to come back is not asked before.
  return transient.includes(outcome.status) && outcome.headers['retry-after'] === undefined;
}
