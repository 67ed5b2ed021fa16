import { LRUCache } from 'lru-cache';
import { isOutage, UpstreamCancelled } from '../errors.ts';

export type Breaker = ReturnType<typeof createBreaker>;

/** A REST API that responds to a fifth of the calls is worth calling. */
const FAILURE_SHARE = 0.8;
/** How many resources must fail before the circuit of their key opens, and that of all keys. */
const MIN_RESOURCES_OF_KEY = 3;
const MIN_RESOURCES_OF_ALL = 10;
/** The latest calls that count. */
const WINDOW_CALLS = 50;
/** Of more keys, those without calls for the longest time are forgotten. */
const MAX_KEYS = 1000;
/** An open circuit of a key without calls for this time is not reported. */
const IDLE_MS = 60_000;

export interface BreakerOptions {
  /** How many calls must fail before a circuit opens. */
  minFailures: number;
  probeMs: number;
  /** A cancelled call that took so long counts as one that timed out. */
  cancelledAsTimeoutMs: number;
  /** How many probes of all keys may be in flight; a quarter of them for one key. */
  maxProbes: number;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

/** The outcome of a call; `failed` is the resource of one that has failed. */
interface Outcome {
  readonly key: Key;
  readonly failed?: string;
}

/** While it is open it rejects every call but one in `probeMs`, a probe; the first success closes it. */
class Circuit {
  isOpen = false;
  nextProbeAtMs = 0;
  probes = 0;
  /** Of the latest calls, the oldest first. */
  latest: Outcome[] = [];
  /** The outcome of a call that began before this change is ignored. */
  changedIn = 0;
  /** Of all keys: the number of the current round of probes; of a key: of its latest one. */
  turn = 0;

  add(outcome: Outcome): void {
    this.latest.push(outcome);
    if (this.latest.length > WINDOW_CALLS) this.latest.shift();
  }

  /** True if most calls have failed, and at least `minResources`; one that fails again and again counts once. */
  isFailing(minFailures: number, minResources: number): boolean {
    const failed = this.latest.flatMap((outcome) => outcome.failed ?? []);
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
  readonly success: Outcome = { key: this };
  /** True if its latest call has succeeded. */
  isGood = false;
  /** When its open circuit was last asked. */
  askedAtMs = 0;
}

/**
 * A circuit breaker, with a circuit for each key and one for all keys. That of a key opens when most of its latest calls
 * have failed, of several resources, and that of all keys when most of the latest calls and most of their keys have
 * failed. A failure is an outage: no connection, no response in time, a 5xx. Probes do not wait for each other.
 */
export function createBreaker(options: BreakerOptions) {
  const { minFailures, probeMs, cancelledAsTimeoutMs, maxProbes, now = () => performance.now() } = options;
  const all = new Circuit();
  const keys = new LRUCache<string, Key>({ max: MAX_KEYS });
  let changes = 0;

  function toggle(circuit: Circuit): void {
    circuit.isOpen = !circuit.isOpen;
    circuit.nextProbeAtMs = now() + probeMs;
    changes += 1;
    circuit.changedIn = changes;
    circuit.latest = [];
    // A failure in an outage says nothing about a key.
    if (circuit === all) for (const key of keys.values()) key.latest = [];
  }

  /** A key whose calls succeed is admitted, and the others send probes in turn. */
  function isShutForAll(key: Key | undefined): boolean {
    if (!all.isOpen) return false;
    if (key?.isGood) return all.probes >= maxProbes / 2;
    const dueForMs = now() - all.nextProbeAtMs;
    // The round is over when for an interval nothing came but calls of keys that have sent their probe.
    const hasTurn = key?.turn !== all.turn || dueForMs >= probeMs;
    return dueForMs < 0 || !hasTurn || all.probes >= maxProbes;
  }

  /** Returns the open circuits of a call that is admitted: it is their probe. */
  function probe(key: Key): Circuit[] {
    if (!all.isOpen && !key.isOpen) return none;
    const probed = [key, all].filter(({ isOpen }) => isOpen);
    for (const circuit of probed) circuit.probes += 1;
    key.nextProbeAtMs = now() + probeMs;
    if (all.isOpen && !key.isGood) {
      all.nextProbeAtMs = now() + probeMs;
      if (key.turn === all.turn) all.turn += 1;
      key.turn = all.turn;
    }
    return probed;
  }

  function onSuccess(key: Key): void {
    if (key.isOpen) toggle(key);
    if (all.isOpen) toggle(all);
    key.isGood = true;
    key.add(key.success);
    all.add(key.success);
  }

  function onFailure(key: Key, failed: string): void {
    if (key.isOpen) return;
    key.isGood = false;
    if (all.isOpen) return;
    key.add({ key, failed });
    all.add({ key, failed });
    if (key.isFailing(minFailures, MIN_RESOURCES_OF_KEY)) {
      toggle(key);
      key.askedAtMs = now();
    }
    if (!all.isFailing(minFailures, MIN_RESOURCES_OF_ALL) || !all.areMostKeysFailing()) return;
    toggle(all);
    all.turn += 1;
  }

  /** Null if the outcome says nothing about the upstream. */
  function isFailure(outcome: number | Error, acquiredAtMs: number): boolean | null {
    if (typeof outcome === 'number') return outcome >= 500;
    if (!(outcome instanceof UpstreamCancelled)) return isOutage(outcome);
    return now() - acquiredAtMs >= cancelledAsTimeoutMs ? true : null;
  }

  return {
    /** True while the circuit of all keys is open, or that of a key which still has calls. */
    get isOpen() {
      const sinceMs = now() - IDLE_MS;
      return all.isOpen || [...keys.values()].some((key) => key.isOpen && key.askedAtMs > sinceMs);
    },
    /** True if it would reject a call of this key now. */
    isRejecting(keyHash: string): boolean {
      const key = keys.get(keyHash);
      if (isShutForAll(key)) return true;
      if (!key?.isOpen) return false;
      key.askedAtMs = now();
      return now() < key.nextProbeAtMs || key.probes >= maxProbes / 4;
    },
    /** For a call that it does not reject. Returns what records the outcome of the call, once. */
    acquire(keyHash: string, resource: string) {
      const known = keys.get(keyHash);
      const key = known ?? new Key();
      if (!known) keys.set(keyHash, key);
      const probed = probe(key);
      const [acquiredIn, acquiredAtMs] = [changes, now()];
      return (outcome: number | Error): void => {
        for (const circuit of probed) circuit.probes -= 1;
        const hasFailed = isFailure(outcome, acquiredAtMs);
        // Ignores a call that began before one of its circuits changed.
        if (hasFailed === null || acquiredIn < Math.max(all.changedIn, key.changedIn)) return;
        if (hasFailed) onFailure(key, keyHash + resource);
        else onSuccess(key);
      };
    },
  };
}

const none: never[] = [];
