import { LRUCache } from 'lru-cache';
import { isOutage, UpstreamCancelled } from '../errors.ts';

export type Breaker = ReturnType<typeof createBreaker>;

/** A REST API that responds to a fifth of the calls is worth calling. */
const FAILURE_SHARE = 0.8;
/** Four probes a second: a circuit closes within a second of the end of an outage. */
const PROBE_MS = 250;
/** How many calls must fail before a circuit opens; those of one resource in a row. */
const MIN_FAILURES = 10;
/** How many resources must fail before the circuit of their key opens, and that of all keys. */
const MIN_RESOURCES_OF_KEY = 3;
const MIN_RESOURCES_OF_ALL = 10;
/** The latest calls that count. */
const WINDOW_CALLS = 50;
/** Of more keys, and of more resources that fail, those without calls for the longest time are forgotten. */
const MAX_REMEMBERED = 1000;
/** A key that was not rejected for so long is no reason to report an open circuit. */
const IDLE_MS = 60_000;

export interface BreakerOptions {
  minFailures?: number | undefined;
  probeMs?: number | undefined;
  /** A cancelled call that took so long counts as one that timed out. */
  cancelledAsTimeoutMs: number;
  /** How many probes of all keys may be in flight; a quarter of them for one key or one resource. */
  maxProbes: number;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

/** While it is open it rejects every call but one in `probeMs`, a probe; the first success closes it. */
class Circuit {
  isOpen = false;
  nextProbeAtMs = 0;
  probes = 0;
}

/** A resource whose latest call has failed. */
class FailingResource extends Circuit {
  readonly name: string;
  readonly key: Key;
  failuresInARow = 0;

  constructor(name: string, key: Key) {
    super();
    this.name = name;
    this.key = key;
  }
}

/** The circuit of several resources, and the outcomes of their latest calls. */
class SharedCircuit extends Circuit {
  /** The resource of a call that failed, the key of one that succeeded; the oldest first. */
  latest: (FailingResource | Key)[] = [];
  /** The outcome of a call that began before this change is ignored. */
  changedIn = 0;
  /** Of all keys: the number of the current round of probes; of a key: of its latest one. */
  turn = 0;

  add(outcome: FailingResource | Key): void {
    this.latest.push(outcome);
    if (this.latest.length > WINDOW_CALLS) this.latest.shift();
  }

  /** True if most calls have failed, and at least `minResources`; one that fails again and again counts once. */
  isFailing(minFailures: number, minResources: number): boolean {
    const failed = this.latest.filter((one) => one instanceof FailingResource);
    const resources = new Set(failed).size;
    const successes = this.latest.length - failed.length;
    const isMost = resources > FAILURE_SHARE * (resources + successes);
    return isMost && failed.length >= minFailures && resources >= minResources;
  }

  areMostKeysFailing(): boolean {
    const keys = new Set(this.latest.map((one) => (one instanceof FailingResource ? one.key : one)));
    const failing = [...keys].filter((key) => !key.isGood).length;
    return failing > 1 && failing > FAILURE_SHARE * keys.size;
  }
}

class Key extends SharedCircuit {
  /** True if its latest call has succeeded. A failure of what is shut out already changes nothing. */
  isGood = false;
  /** When it last had a call rejected, or a circuit opened, of its own. */
  rejectedAtMs = Number.NEGATIVE_INFINITY;
}

/**
 * A circuit breaker, with a circuit for each resource of a key, for each key, and for all keys. That of a resource
 * opens when its calls fail in a row, that of a key when most of its latest calls have failed, of several resources,
 * and that of all keys when most of the latest calls and most of their keys have failed. A failure is an outage: no
 * connection, no response in time, a 5xx. Probes do not wait for each other.
 */
export function createBreaker(options: BreakerOptions) {
  const { minFailures = MIN_FAILURES, probeMs = PROBE_MS, cancelledAsTimeoutMs, maxProbes } = options;
  const { now = () => performance.now() } = options;
  const all = new SharedCircuit();
  const keys = new LRUCache<string, Key>({ max: MAX_REMEMBERED });
  const failing = new LRUCache<string, FailingResource>({ max: MAX_REMEMBERED });
  let changes = 0;

  /** Most calls find none that fails, and need no name for that. */
  const failingOf = (keyHash: string, resource: string) =>
    failing.size > 0 ? failing.get(keyHash + resource) : undefined;

  function toggle(circuit: Circuit, scope: SharedCircuit): void {
    circuit.isOpen = !circuit.isOpen;
    circuit.nextProbeAtMs = now() + probeMs;
    changes += 1;
    scope.changedIn = changes;
    if (circuit === scope) scope.latest = [];
    // What failed in an outage says nothing about a key.
    if (circuit === all) for (const key of keys.values()) key.latest = [];
  }

  const isShut = (circuit: Circuit | undefined) =>
    circuit?.isOpen === true && (now() < circuit.nextProbeAtMs || circuit.probes >= maxProbes / 4);

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
  function probe(key: Key, resource: FailingResource | undefined): Circuit[] {
    if (!all.isOpen && !key.isOpen && !resource?.isOpen) return none;
    const probed: Circuit[] = [];
    if (resource?.isOpen) probed.push(resource);
    if (key.isOpen) probed.push(key);
    for (const circuit of probed) circuit.nextProbeAtMs = now() + probeMs;
    if (all.isOpen) {
      probed.push(all);
      if (!key.isGood) takeTurn(key);
    }
    for (const circuit of probed) circuit.probes += 1;
    return probed;
  }

  function takeTurn(key: Key): void {
    all.nextProbeAtMs = now() + probeMs;
    if (key.turn === all.turn) all.turn += 1;
    key.turn = all.turn;
  }

  function onSuccess(key: Key, resource: FailingResource | undefined): void {
    if (resource) {
      failing.delete(resource.name);
      if (resource.isOpen) toggle(resource, key);
    }
    if (key.isOpen) toggle(key, key);
    if (all.isOpen) toggle(all, all);
    key.isGood = true;
    key.add(key);
    all.add(key);
  }

  function onFailure(key: Key, resource: FailingResource): void {
    if (resource.isOpen || key.isOpen) return;
    key.isGood = false;
    if (all.isOpen) return;
    failing.set(resource.name, resource);
    resource.failuresInARow += 1;
    key.add(resource);
    all.add(resource);
    if (resource.failuresInARow >= minFailures) toggle(resource, key);
    if (key.isFailing(minFailures, MIN_RESOURCES_OF_KEY)) toggle(key, key);
    if (resource.isOpen || key.isOpen) key.rejectedAtMs = now();
    if (!all.isFailing(minFailures, MIN_RESOURCES_OF_ALL) || !all.areMostKeysFailing()) return;
    toggle(all, all);
    all.turn += 1;
  }

  /** Null if the outcome says nothing about the upstream. */
  function isFailure(outcome: number | Error, acquiredAtMs: number): boolean | null {
    if (typeof outcome === 'number') return outcome >= 500;
    if (!(outcome instanceof UpstreamCancelled)) return isOutage(outcome);
    return now() - acquiredAtMs >= cancelledAsTimeoutMs ? true : null;
  }

  return {
    /** True while the circuit of all keys is open, or one of a key that has only failed since. */
    get isOpen() {
      const sinceMs = now() - IDLE_MS;
      return all.isOpen || [...keys.values()].some((key) => !key.isGood && key.rejectedAtMs > sinceMs);
    },
    /** True if it would reject a call of this key and resource now. */
    isRejecting(keyHash: string, resource: string): boolean {
      const key = keys.get(keyHash);
      const ofResource = failingOf(keyHash, resource);
      if (key && (key.isOpen || ofResource?.isOpen)) key.rejectedAtMs = now();
      return isShutForAll(key) || isShut(key) || isShut(ofResource);
    },
    /** For a call that it does not reject. Returns what records the outcome of the call, once. */
    acquire(keyHash: string, resource: string) {
      const known = keys.get(keyHash);
      const key = known ?? new Key();
      if (!known) keys.set(keyHash, key);
      const probed = probe(key, failingOf(keyHash, resource));
      const [acquiredIn, acquiredAtMs] = [changes, now()];
      return (outcome: number | Error): void => {
        for (const circuit of probed) circuit.probes -= 1;
        const hasFailed = isFailure(outcome, acquiredAtMs);
        // Ignores a call that began before one of its circuits changed.
        if (hasFailed === null || acquiredIn < Math.max(all.changedIn, key.changedIn)) return;
        const failed = failingOf(keyHash, resource);
        if (hasFailed) onFailure(key, failed ?? new FailingResource(keyHash + resource, key));
        else onSuccess(key, failed);
      };
    },
  };
}

const none: Circuit[] = [];
