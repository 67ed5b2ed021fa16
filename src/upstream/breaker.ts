import { CircuitState, CountBreaker } from 'cockatiel';
import { isOutage, UpstreamAbandoned, UpstreamSpared } from './errors.ts';

/**
 * Spares an upstream that is down, and its callers the wait. It opens when most of the latest calls met an outage: no
 * connection, no answer in time, a 5xx. While it is open every call is refused but one in `probeMs`, and the first
 * of those that succeeds closes it. Probes do not wait for each other, so that those lost in a black hole hold nobody up until they are `maxProbes`.
 */
export interface Breaker {
  /** Whether a call would be refused now. */
  refuses(): boolean;
  /**
   * Lets a call out, and learns from what it is told of its outcome, once.
   * @throws UpstreamSpared where it is refused
   */
  begin(): Trial;
  readonly isOpen: boolean;
}

/** A call that is under way. */
export interface Trial {
  answered(status: number): void;
  failed(error: unknown): void;
}

export interface BreakerOptions {
  /** How many of a hundred calls must fail to open it. */
  failurePercent: number;
  probeMs: number;
  /** A call that its callers gave up after so long counts as one that had no answer in time. */
  givenUpAfterMs: number;
  /** How many probes may be under way at once. */
  maxProbes: number;
  /** A clock that only goes forward, in milliseconds. */
  now?: () => number;
}

/** The calls that count, and how many of them there must be before they say anything. */
const WINDOW_CALLS = 50;
const MINIMUM_CALLS = 10;

export function createBreaker({
  failurePercent,
  probeMs,
  givenUpAfterMs,
  maxProbes,
  now = () => performance.now(),
}: BreakerOptions): Breaker {
  const sample = new CountBreaker({
    // "More than" the threshold opens it; all of the calls must be able to.
    threshold: Math.min(failurePercent, 99.9) / 100,
    size: WINDOW_CALLS,
    minimumNumberOfCalls: MINIMUM_CALLS,
  });
  let isOpen = false;
  /** Another each time it opens or closes. */
  let era = 0;
  let nextProbeAtMs = 0;
  let probing = 0;

  const refuses = () => isOpen && (now() < nextProbeAtMs || probing >= maxProbes);

  function succeed(): void {
    sample.success(isOpen ? CircuitState.HalfOpen : CircuitState.Closed);
    if (isOpen) era += 1;
    isOpen = false;
  }

  function fail(): void {
    if (isOpen || !sample.failure(CircuitState.Closed)) return;
    isOpen = true;
    era += 1;
    nextProbeAtMs = now() + probeMs;
  }

  class OneTrial implements Trial {
    readonly #begunIn = era;
    readonly #begunAtMs = now();
    readonly #isProbe: boolean;

    /** `isProbe`: whether it was let through while the breaker was open. */
    constructor(isProbe: boolean) {
      this.#isProbe = isProbe;
    }

    answered(status: number): void {
      this.#learn(status >= 500 ? fail : succeed);
    }

    failed(error: unknown): void {
      const isGivenUp = error instanceof UpstreamAbandoned;
      if (isOutage(error) || (isGivenUp && now() - this.#begunAtMs >= givenUpAfterMs)) this.#learn(fail);
      // An answer that cannot be used is one all the same; where the caller left early, nobody knows.
      else this.#learn(isGivenUp ? null : succeed);
    }

    /** What was asked before the outage, or in it, and ends after, says nothing of now. */
    #learn(lesson: (() => void) | null): void {
      if (this.#isProbe) probing -= 1;
      if (this.#begunIn === era) lesson?.();
    }
  }

  return {
    refuses,
    begin() {
      if (!isOpen) return new OneTrial(false);
      if (refuses()) throw new UpstreamSpared('breaker');
      nextProbeAtMs = now() + probeMs;
      probing += 1;
      return new OneTrial(true);
    },
    get isOpen() {
      return isOpen;
    },
  };
}
