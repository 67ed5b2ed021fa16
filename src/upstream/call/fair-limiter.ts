/** Receives what becomes of a call that waits for its permit: one of these, once, unless it is released before. */
export interface Waiter {
  onAdmitted(): void;
  /** The queue is full. The permit needs no release. */
  onRejected(): void;
}

/** A connection, or a place in the queue for one. */
export interface Permit {
  readonly isAdmitted: boolean;
  /** Gives back the connection or the place; does nothing the second time. */
  release(): void;
}

interface FairLimiterOptions {
  /** How many calls are admitted at a time. */
  connections: number;
  /** How many calls may wait. */
  maxQueued: number;
}

/** Queues without calls are kept while they are few: most keys come again soon. */
const MAX_IDLE_QUEUES = 1000;

/**
 * Limits the calls that are active at a time, fairly between keys. A call is admitted at once while connections are
 * free; else it waits in the queue of its key, and the queues are served in turn. A quarter of the connections is
 * reserved for keys that have none, so that a key with a thousand calls does not delay the first call of another.
 */
export class FairLimiter {
  /** How many calls have a connection. */
  active = 0;
  /** How many wait for one. */
  queued = 0;
  readonly #connections: number;
  readonly #maxQueued: number;
  readonly #reserved: number;
  readonly #queues = new Map<string, KeyQueue>();
  /** The queues with calls, the next to be served first. */
  readonly #turns = new Set<KeyQueue>();
  /** Admitted after a wait, and not notified yet. */
  #admitted: QueuedPermit[] = [];

  constructor({ connections, maxQueued }: FairLimiterOptions) {
    this.#connections = connections;
    this.#maxQueued = maxQueued;
    this.#reserved = Math.floor(connections / 4);
  }

  /**
   * Admits a call of this key or lets it wait; `waiter` is notified of what happens later. When the queue is full, the
   * key with the most waiting calls loses its last one; null where that is this one.
   */
  acquire(keyHash: string, waiter: Waiter): Permit | null {
    const queue = this.#queueOf(keyHash);
    if (queue.length === 0 && this.#hasConnectionFor(queue)) {
      const permit = new QueuedPermit(this, queue, waiter);
      this.#admit(permit);
      return permit;
    }
    if (!this.#makeRoom(queue)) return null;
    const permit = new QueuedPermit(this, queue, waiter);
    queue.add(permit);
    this.queued += 1;
    this.#turns.add(queue);
    return permit;
  }

  /** For a permit that was admitted. */
  releaseConnection({ queue }: QueuedPermit): void {
    this.active -= 1;
    queue.active -= 1;
    this.#tidy(queue);
    if (this.queued > 0) this.#serve();
  }

  /** For a permit that waits. */
  releasePlace(permit: QueuedPermit): void {
    this.#dequeue(permit);
    this.#tidy(permit.queue);
  }

  #queueOf(keyHash: string): KeyQueue {
    const known = this.#queues.get(keyHash);
    if (known) return known;
    const queue = new KeyQueue(keyHash);
    this.#queues.set(keyHash, queue);
    return queue;
  }

  #hasConnectionFor(queue: KeyQueue): boolean {
    return this.active < this.#connections - (queue.active > 0 ? this.#reserved : 0);
  }

  #admit(permit: QueuedPermit): void {
    this.active += 1;
    permit.queue.active += 1;
    permit.state = 'admitted';
  }

  #serve(): void {
    for (const queue of this.#turns) {
      if (this.active >= this.#connections) return;
      const { first } = queue;
      if (!first || !this.#hasConnectionFor(queue)) continue;
      this.#turns.delete(queue);
      this.#dequeue(first);
      // To the end of the turns, where this loop comes to it again while connections are free.
      if (queue.length > 0) this.#turns.add(queue);
      this.#admit(first);
      // In a microtask: the call that has released its connection may not be done with it.
      if (this.#admitted.push(first) === 1) queueMicrotask(() => this.#notify());
    }
  }

  #notify(): void {
    const admitted = this.#admitted;
    this.#admitted = [];
    for (const { isAdmitted, waiter } of admitted) if (isAdmitted) waiter.onAdmitted();
  }

  /** Makes room for one more call of this key; false where the call itself is to be rejected. */
  #makeRoom(own: KeyQueue): boolean {
    if (this.queued < this.#maxQueued) return true;
    let longest = own;
    // With this call: a key with as many waiting calls does not lose one to it.
    let most = own.length + 1;
    for (const queue of this.#turns) {
      if (queue.length <= most) continue;
      [longest, most] = [queue, queue.length];
    }
    const { last } = longest;
    if (longest === own || !last) return false;
    last.release();
    last.waiter.onRejected();
    return true;
  }

  #dequeue(permit: QueuedPermit): void {
    permit.queue.remove(permit);
    this.queued -= 1;
  }

  #tidy(queue: KeyQueue): void {
    if (queue.length > 0) return;
    this.#turns.delete(queue);
    if (queue.active === 0 && this.#queues.size > MAX_IDLE_QUEUES) this.#queues.delete(queue.keyHash);
  }
}

/** The waiting calls of one key: a linked list, since a set keeps removed entries in its old tables. */
class KeyQueue {
  readonly keyHash: string;
  active = 0;
  length = 0;
  first: QueuedPermit | null = null;
  last: QueuedPermit | null = null;

  constructor(keyHash: string) {
    this.keyHash = keyHash;
  }

  add(permit: QueuedPermit): void {
    permit.previous = this.last;
    if (this.last) this.last.next = permit;
    else this.first = permit;
    this.last = permit;
    this.length += 1;
  }

  remove(permit: QueuedPermit): void {
    const { previous, next } = permit;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.last = previous;
    // Unlinks both ways: a removed permit in old space must not retain its neighbours (decision 18).
    permit.previous = null;
    permit.next = null;
    this.length -= 1;
  }
}

class QueuedPermit implements Permit {
  state: 'queued' | 'admitted' | 'released' = 'queued';
  readonly queue: KeyQueue;
  readonly waiter: Waiter;
  previous: QueuedPermit | null = null;
  next: QueuedPermit | null = null;
  readonly #limiter: FairLimiter;

  constructor(limiter: FairLimiter, queue: KeyQueue, waiter: Waiter) {
    this.#limiter = limiter;
    this.queue = queue;
    this.waiter = waiter;
  }

  get isAdmitted(): boolean {
    return this.state === 'admitted';
  }

  release(): void {
    const { state } = this;
    this.state = 'released';
    if (state === 'admitted') this.#limiter.releaseConnection(this);
    else if (state === 'queued') this.#limiter.releasePlace(this);
  }
}
