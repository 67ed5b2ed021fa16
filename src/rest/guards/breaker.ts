import { LRUCache } from 'lru-cache';
import type { Gauge } from '../../observers/gauges.ts';
import type { ApiKey } from '../caller.ts';
import { isOutage, UpstreamCancelled } from '../errors.ts';
import { memoized } from '../memo.ts';

export type Breaker = ReturnType<typeof createBreaker>;

/** A REST API that responds to a fifth of the calls is worth calling. */
const FAILURE_SHARE = 0.8;
/** How many resources must fail before the circuit of their key opens, and that of all keys. */
const MIN_RESOURCES_OF_KEY = 3;
const MIN_RESOURCES_OF_ALL = 10;
const WINDOW_CALLS = 50;
/** A key sends a probe in every third interval, so that others have their turn. */
const INTERVALS_OF_KEY = 3;
/** An open circuit of a key without probes for this time is not reported. */
const IDLE_MS = 60_000;

export interface BreakerOptions {
  minFailures: number;
  probeMs: number;
  /** A cancelled call that took so long counts as one that timed out. */
  cancelledAsTimeoutMs: number;
  maxProbes: number;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

/** A call that has ended; `failed` is the resource of one that has failed. */
interface EndedCall {
  readonly key: Key;
  readonly failed?: string;
}

/** While it is open it rejects every call but probes; the first success closes it. */
class Circuit {
  isOpen = false;
  nextProbeAtMs = 0;
  /** A ring of at most `WINDOW_CALLS`. */
  latest: EndedCall[] = [];
  #added = 0;
  /** The outcome of a call that began before this change is ignored. */
  changedIn = 0;

  add(call: EndedCall): void {
    this.latest[this.#added % WINDOW_CALLS] = call;
    this.#added += 1;
  }

  forget(): void {
    this.latest = [];
    this.#added = 0;
  }

  /** True if most calls have failed, and at least `minResources`; one that fails again and again counts once. */
  isFailing(minFailures: number, minResources: number): boolean {
    const failed = this.latest.flatMap((call) => call.failed ?? []);
    const resources = new Set(failed).size;
    const successes = this.latest.length - failed.length;
    const isMost = resources > FAILURE_SHARE * (resources + successes);
    return isMost && failed.length >= minFailures && resources >= minResources;
  }

  areMostKeysFailing(): boolean {
    const keys = new Set(this.latest.map(({ key }) => key));
    const failing = [...keys].filter((key) => !key.isGood).length;
    return failing > 1 && failing > FAILURE_SHARE * keys.size;
  }
}

class Key extends Circuit {
  readonly success: EndedCall = { key: this };
  /** True if its latest call has succeeded. */
  isGood = false;
}

/**
 * A circuit breaker, with a circuit for each key and one for all keys. That of a key opens when most of its latest calls
 * have failed, of several resources, and that of all keys when most of the latest calls and most of their keys have
 * failed. A failure is an outage: no connection, no response in time, a 5xx. Probes do not wait for each other.
 */
export function createBreaker(options: BreakerOptions) {
  const { minFailures, probeMs, cancelledAsTimeoutMs, maxProbes, now = () => performance.now() } = options;
  const all = new Circuit();
  const keyOf = memoized((_: ApiKey) => new Key());
  /** The latest keys whose circuit is open, or was. */
  const opened = new LRUCache<Key, true>({ max: 1000 });
  let changes = 0;
  let probes = 0;

  function toggle(circuit: Circuit): void {
    circuit.isOpen = !circuit.isOpen;
    circuit.nextProbeAtMs = now() + probeMs;
    changes += 1;
    circuit.changedIn = changes;
    circuit.forget();
    if (circuit instanceof Key) opened.set(circuit, true);
  }

  function add(key: Key, call: EndedCall): void {
    // A failure in an outage says nothing about a key.
    if (key.changedIn < all.changedIn) key.forget();
    key.changedIn = Math.max(key.changedIn, all.changedIn);
    key.add(call);
    all.add(call);
  }

  function onSuccess(key: Key): void {
    if (key.isOpen) toggle(key);
    if (all.isOpen) toggle(all);
    key.isGood = true;
    add(key, key.success);
  }

  function onFailure(key: Key, failed: string): void {
    if (key.isOpen) return;
    key.isGood = false;
    if (all.isOpen) return;
    add(key, { key, failed });
    if (key.isFailing(minFailures, MIN_RESOURCES_OF_KEY)) toggle(key);
    if (all.isFailing(minFailures, MIN_RESOURCES_OF_ALL) && all.areMostKeysFailing()) toggle(all);
  }

  /** Null if the outcome says nothing about the upstream. */
  function isFailure(outcome: number | Error, acquiredAtMs: number): boolean | null {
    if (typeof outcome === 'number') return outcome >= 500;
    if (!(outcome instanceof UpstreamCancelled)) return isOutage(outcome);
    return now() - acquiredAtMs >= cancelledAsTimeoutMs ? true : null;
  }

  return {
    gauge: {
      name: 'portico_breaker_open',
      help: '1 while the circuit breaker is open, for one key or for all',
      /** An open circuit of a key counts while that still has calls. */
      read() {
        const sinceMs = now() - IDLE_MS;
        const isCounted = (key: Key) => key.isOpen && key.nextProbeAtMs > sinceMs;
        return Number(all.isOpen || [...opened.keys()].some(isCounted));
      },
    } satisfies Gauge,
    isRejecting(apiKey: ApiKey): boolean {
      if (!all.isOpen && opened.size === 0) return false;
      const key = keyOf(apiKey);
      if (!all.isOpen && !key.isOpen) return false;
      // While the circuit of all keys is open, the calls of a key that succeed are admitted.
      if (key.isGood) return probes >= maxProbes / 2;
      const dueAtMs = Math.max(all.isOpen ? all.nextProbeAtMs : 0, key.nextProbeAtMs);
      return now() < dueAtMs || probes >= maxProbes;
    },
    /** For a call that it does not reject. Returns what records the outcome of the call, once. */
    acquire(apiKey: ApiKey, resource: string) {
      const key = keyOf(apiKey);
      const isProbe = all.isOpen || key.isOpen;
      const [acquiredIn, acquiredAtMs] = [changes, now()];
      if (isProbe) {
        probes += 1;
        if (key.isOpen) opened.set(key, true);
        key.nextProbeAtMs = acquiredAtMs + INTERVALS_OF_KEY * probeMs;
        if (!key.isGood) all.nextProbeAtMs = acquiredAtMs + probeMs;
      }
      return (outcome: number | Error): void => {
        if (isProbe) probes -= 1;
        const hasFailed = isFailure(outcome, acquiredAtMs);
        // Ignores a call that began before one of its circuits changed.
        if (hasFailed === null || acquiredIn < Math.max(all.changedIn, key.changedIn)) return;
        if (hasFailed) onFailure(key, apiKey.hash + resource);
        else onSuccess(key);
      };
    },
  };
}
