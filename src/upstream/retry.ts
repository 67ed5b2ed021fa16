import type { Signal } from '../signal.ts';
import { UpstreamSpared, UpstreamTimeout, UpstreamUnaffordable, UpstreamUnavailable } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { Landing } from './flights.ts';
import type { WireRequest } from './passage.ts';

/** Asks once more where that may help and is affordable. */
export interface Retry {
  /**
   * Where a call may land that may be made twice. It is, a moment later, where the first met a 502, 503 or 504 or no connection, and
   * while second calls are at most the configured share of all; then `landing` hears how that ended, unless it tells less than the first.
   * A call that was repeated already, on another connection, is not repeated again.
   */
  once(landing: Landing<Exchange>, again: () => Promise<Exchange>, call: RepeatableCall): Landing<Exchange>;
}

type RepeatableCall = Pick<WireRequest, 'signal' | 'isRepeated'>;

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

  async function second(first: Outcome, again: () => Promise<Exchange>, signal: Signal): Promise<Exchange> {
    const outcome = await settled(paused(random() * LONGEST_PAUSE_MS, signal).then(again));
    return answerFrom(tellsLess(outcome) ? first : outcome);
  }

  class FirstLanding implements Landing<Exchange> {
    readonly #last: Landing<Exchange>;
    readonly #again: () => Promise<Exchange>;
    readonly #call: RepeatableCall;

    constructor(last: Landing<Exchange>, again: () => Promise<Exchange>, call: RepeatableCall) {
      this.#last = last;
      this.#again = again;
      this.#call = call;
    }

    answered(answer: Exchange): void {
      if (isTransient(answer) && this.#mayRepeat()) this.#repeat(answer);
      else this.#last.answered(answer);
    }

    failed(error: Error): void {
      if (isFailure(error) && isTransient(error) && this.#mayRepeat()) this.#repeat(error);
      else this.#last.failed(error);
    }

    #mayRepeat(): boolean {
      return !this.#call.isRepeated && isAffordable();
    }

    #repeat(first: Outcome): void {
      this.#call.isRepeated = true;
      second(first, this.#again, this.#call.signal).then(
        (answer) => this.#last.answered(answer),
        (error) => this.#last.failed(error),
      );
    }
  }

  return {
    once(landing, again, call) {
      affordable = Math.min(affordable + percent / 100, CREDIT);
      return new FirstLanding(landing, again, call);
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
