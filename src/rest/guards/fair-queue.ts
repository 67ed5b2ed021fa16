import type { Gauge } from '../../observers/gauges.ts';
import { remove } from '../abort.ts';
import type { ApiKey } from '../caller.ts';
import { memoized } from '../memo.ts';

/** The calls of a key: those that have a connection, and those that wait, in order. */
class KeyCalls {
  active = 0;
  readonly waiting: Permit[] = [];
}

/**
 * Limits the calls that are active at a time. A call waits in the queue of its key while no connection is free, and
 * the queues are served in turn. A quarter of the connections is reserved for keys that have none.
 */
export class FairQueue {
  active = 0;
  queued = 0;
  readonly #connections: number;
  readonly #maxQueued: number;
  readonly #reserved: number;
  readonly #callsOf = memoized((_: ApiKey) => new KeyCalls());
  /** The keys with waiting calls, the one whose turn it is first. */
  readonly #turns: KeyCalls[] = [];

  constructor(connections: number, maxQueued: number) {
    this.#connections = connections;
    this.#maxQueued = maxQueued;
    this.#reserved = Math.floor(connections / 4);
  }

  get gauges(): Gauge[] {
    const gauge = (name: string, help: string, read: () => number) => ({ name, help, read });
    return [
      gauge('portico_upstream_calls_active', 'REST calls that hold a connection', () => this.active),
      gauge('portico_upstream_connections_max', 'Most connections to the REST API', () => this.#connections),
      gauge('portico_upstream_calls_queued', 'REST calls queued for a connection', () => this.queued),
    ];
  }

  /** Null if the call is rejected: in a full queue the key with the most waiting calls loses its last one. */
  acquire(key: ApiKey): Permit | null {
    const calls = this.#callsOf(key);
    const permit = new Permit(this, calls);
    if (calls.waiting.length === 0 && this.#hasConnectionFor(calls)) this.#admit(permit);
    else if (this.#makeRoom(calls)) {
      this.queued += 1;
      if (calls.waiting.push(permit) === 1) this.#turns.push(calls);
    } else return null;
    return permit;
  }

  release(permit: Permit): void {
    const { calls, state } = permit;
    permit.state = 'released';
    if (state === 'queued') {
      this.queued -= 1;
      remove(calls.waiting, permit);
      if (calls.waiting.length === 0) remove(this.#turns, calls);
    } else this.#free(calls);
  }

  #free(calls: KeyCalls): void {
    this.active -= 1;
    calls.active -= 1;
    if (this.queued === 0) return;
    const next = this.#turns.find((waiting) => this.#hasConnectionFor(waiting));
    if (next) this.#serve(next);
    // A second connection is free for the key that had this one, if that was its only one.
    if (this.#hasConnectionFor(calls)) this.#serve(calls);
  }

  #hasConnectionFor({ active }: KeyCalls): boolean {
    return this.active < this.#connections - (active > 0 ? this.#reserved : 0);
  }

  #admit(permit: Permit): void {
    this.active += 1;
    permit.calls.active += 1;
    permit.state = 'admitted';
  }

  /** Admits the first waiting call of this key. The next one comes after those of all others. */
  #serve(calls: KeyCalls): void {
    const [first] = calls.waiting;
    if (!first) return;
    this.queued -= 1;
    remove(calls.waiting, first);
    remove(this.#turns, calls);
    if (calls.waiting.length > 0) this.#turns.push(calls);
    this.#admit(first);
    // In a microtask: the call that has released its connection may not be done with it.
    queueMicrotask(() => {
      if (first.state === 'admitted') first.onEnd?.(true);
    });
  }

  /** Makes room for one more call of this key; false if the call itself is to be rejected. */
  #makeRoom({ waiting }: KeyCalls): boolean {
    if (this.queued < this.#maxQueued) return true;
    // With this call: a key with as many waiting calls does not lose one to it.
    let most = waiting.length + 1;
    let last: Permit | undefined;
    for (const { waiting } of this.#turns)
      if (waiting.length > most) [most, last] = [waiting.length, waiting.at(-1)];
    if (!last) return false;
    last.release();
    last.onEnd?.(false);
    return true;
  }
}

/** A connection, or a place in the queue for one. */
export class Permit {
  state: 'queued' | 'admitted' | 'released' = 'queued';
  readonly calls: KeyCalls;
  /** To be set if it waits: called once, unless it is released before. A rejected one needs no release. */
  onEnd: ((isAdmitted: boolean) => void) | null = null;
  readonly #queue: FairQueue;

  constructor(queue: FairQueue, calls: KeyCalls) {
    this.#queue = queue;
    this.calls = calls;
  }

  /** Gives back the connection or the place; does nothing the second time. */
  release(): void {
    if (this.state !== 'released') this.#queue.release(this);
  }
}
