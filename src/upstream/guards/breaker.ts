import { isOutage, UpstreamCancelled } from '../errors.ts';

export type Breaker = ReturnType<typeof createBreaker>;

/** A REST API that responds to a fifth of the calls is worth calling. */
const FAILURE_PERCENT = 80;
/** Four probes a second: the circuit closes within a second of the end of an outage. */
const PROBE_MS = 250;

export interface BreakerOptions {
  /** More than so many of a hundred calls must fail to open it; at 100, all. */
  failurePercent?: number | undefined;
  probeMs?: number | undefined;
  /** A cancelled call that took so long counts as one that timed out. */
  cancelledAsTimeoutMs: number;
  maxProbes: number;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

/** The latest calls that count, and how many there must be before the breaker can open. */
const WINDOW_CALLS = 50;
const MIN_CALLS = 10;

/**
 * A circuit breaker. It opens when most of the latest calls met an outage: no connection, no response in
 * time, a 5xx. While it is open it rejects every call but one in `probeMs`, a probe, and the first probe that
 * succeeds closes it. Probes do not wait for each other: up to `maxProbes` may hang. Where all that failed were calls
 * of one key, it rejects those alone, until most of the latest calls of other keys have failed too.
 */
export function createBreaker(options: BreakerOptions) {
  const { failurePercent = FAILURE_PERCENT, probeMs = PROBE_MS, cancelledAsTimeoutMs, maxProbes } = options;
  const { now = () => performance.now() } = options;
  /** For each of the latest calls the key if it failed, the oldest first. */
  let failures: (string | null)[] = [];
  let isOpen = false;
  /** While it is open: the key whose calls are rejected; null: all are. */
  let onlyKey: string | null = null;
  /** Changes when the breaker opens or closes. */
  let generation = 0;
  let nextProbeAtMs = 0;
  let probes = 0;

  const isOpenFor = (keyHash: string) => isOpen && (onlyKey ?? keyHash) === keyHash;
  const isRejecting = (keyHash: string) =>
    isOpenFor(keyHash) && (now() < nextProbeAtMs || probes >= maxProbes);

  function record(keyHash: string, isFailure: boolean): void {
    const isProbe = isOpenFor(keyHash);
    if (isProbe && isFailure) return;
    if (isProbe) toggle(false);
    failures.push(isFailure ? keyHash : null);
    if (failures.length > WINDOW_CALLS) failures.shift();
    if (isFailure && failures.length >= MIN_CALLS && isOverThreshold()) toggle(true);
  }

  function isOverThreshold(): boolean {
    const failed = failures.filter((key) => key !== null).length;
    return failed === failures.length || failed * 100 > failurePercent * failures.length;
  }

  function toggle(opens: boolean): void {
    const [key = null, ...others] = new Set(failures.filter((one) => one !== null));
    onlyKey = opens && !isOpen && others.length === 0 ? key : null;
    isOpen = opens;
    generation += 1;
    failures = [];
    nextProbeAtMs = now() + probeMs;
  }

  /** Null where the outcome does not show it. */
  function isFailure(outcome: number | Error, acquiredAtMs: number): boolean | null {
    if (typeof outcome === 'number') return outcome >= 500;
    if (!(outcome instanceof UpstreamCancelled)) return isOutage(outcome);
    return now() - acquiredAtMs >= cancelledAsTimeoutMs ? true : null;
  }

  return {
    get isOpen() {
      return isOpen;
    },
    /** Whether it would reject a call of this key now. */
    isRejecting,
    /** For a call that it does not reject. Returns what records the outcome of the call, once. */
    acquire(keyHash: string) {
      const [acquiredIn, acquiredAtMs, isProbe] = [generation, now(), isOpenFor(keyHash)];
      if (isProbe) {
        nextProbeAtMs = acquiredAtMs + probeMs;
        probes += 1;
      }
      return (outcome: number | Error): void => {
        if (isProbe) probes -= 1;
        const hasFailed = isFailure(outcome, acquiredAtMs);
        // Ignores the outcome of calls that began in an earlier generation.
        if (acquiredIn === generation && hasFailed !== null) record(keyHash, hasFailed);
      };
    },
  };
}
