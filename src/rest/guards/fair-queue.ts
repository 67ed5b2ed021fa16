import type { Gauge } from '../../observers/gauges.ts';

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
  readonly #activeOf = new Map<string, number>();
  /** The waiting calls of each key that has some, the key whose turn it is first. */
  readonly #waitingOf = new Map<string, Permit[]>();

  constructor(connections: number, maxQueued: number) {
    this.#connections = connections;
    this.#maxQueued = maxQueued;
    this.#reserved = Math.floor(connections / 4);
  }

  get gauges(): Gauge[] {
    return [
      {
        name: 'portico_upstream_calls_active',
        help: 'REST calls that hold a connection',
        read: () => this.active,
      },
      {
        name: 'portico_upstream_connections_max',
        help: 'Maximum number of connections to the REST API',
        read: () => this.#connections,
      },
      {
        name: 'portico_upstream_calls_queued',
        help: 'REST calls queued for a connection',
        read: () => this.queued,
      },
    ];
  }

  /** Null if the call is rejected: in a full queue the key with the most calls loses its last one. */
  acquire(keyHash: string): Permit | null {
    const permit = new Permit(this, keyHash);
    const waiting = this.#waitingOf.get(keyHash);
    if (!waiting && this.#hasConnectionFor(keyHash)) this.#admit(permit);
    else if (this.#makeRoom(keyHash)) {
      this.queued += 1;
      if (waiting) waiting.push(permit);
      else this.#waitingOf.set(keyHash, [permit]);
    } else return null;
    return permit;
  }

  release(permit: Permit): void {
    const { keyHash, state } = permit;
    permit.state = 'released';
    if (state !== 'queued') {
      this.#free(keyHash);
      return;
    }
    const waiting = this.#waitingOf.get(keyHash) ?? [];
    waiting.splice(waiting.indexOf(permit), 1);
    this.queued -= 1;
    if (waiting.length === 0) this.#waitingOf.delete(keyHash);
  }

  #free(keyHash: string): void {
    this.active -= 1;
    const left = (this.#activeOf.get(keyHash) ?? 0) - 1;
    if (left > 0) this.#activeOf.set(keyHash, left);
    else this.#activeOf.delete(keyHash);
    if (this.queued === 0) return;
    for (const next of this.#waitingOf.keys()) {
      if (!this.#hasConnectionFor(next)) continue;
      this.#serve(next);
      break;
    }
    // A second connection is free for the key that had this one, if that was its only one.
    if (this.#hasConnectionFor(keyHash)) this.#serve(keyHash);
  }

  #hasConnectionFor(keyHash: string): boolean {
    return this.active < this.#connections - (this.#activeOf.has(keyHash) ? this.#reserved : 0);
  }

  #admit(permit: Permit): void {
    this.active += 1;
    this.#activeOf.set(permit.keyHash, (this.#activeOf.get(permit.keyHash) ?? 0) + 1);
    permit.state = 'admitted';
  }

  /** Admits the first waiting call of this key. The next one comes after those of all others. */
  #serve(keyHash: string): void {
    const waiting = this.#waitingOf.get(keyHash);
    const first = waiting?.shift();
    if (!waiting || !first) return;
    this.queued -= 1;
    this.#waitingOf.delete(keyHash);
    if (waiting.length > 0) this.#waitingOf.set(keyHash, waiting);
    this.#admit(first);
    // In a microtask: the call that has released its connection may not be done with it.
    queueMicrotask(() => {
      if (first.state === 'admitted') first.onEnd?.(true);
    });
  }

  /** Makes room for one more call of this key; false if the call itself is to be rejected. */
  #makeRoom(keyHash: string): boolean {
    if (this.queued < this.#maxQueued) return true;
    // With this call: a key with as many waiting calls does not lose one to it.
    let most = (this.#waitingOf.get(keyHash)?.length ?? 0) + 1;
    let last: Permit | undefined;
    for (const waiting of this.#waitingOf.values()) {
      if (waiting.length > most) [most, last] = [waiting.length, waiting.at(-1)];
    }
    if (!last) return false;
    last.release();
    last.onEnd?.(false);
    return true;
  }
}

/** A connection, or a place in the queue for one. */
export class Permit {
  state: 'queued' | 'admitted' | 'released' = 'queued';
  readonly keyHash: string;
  /** To be set if it waits: called once, unless it is released before. A rejected one needs no release. */
  onEnd: ((isAdmitted: boolean) => void) | null = null;
  readonly #queue: FairQueue;

  constructor(queue: FairQueue, keyHash: string) {
    this.#queue = queue;
    this.keyHash = keyHash;
  }

  /** Gives back the connection or the place; does nothing the second time. */
  release(): void {
    if (this.state !== 'released') this.#queue.release(this);
  }
}
