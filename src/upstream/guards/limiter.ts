import type { Gauge } from '../../gauges.ts';

/** Eight times the connections by default: what waits longer would exceed its deadline. */
const MAX_QUEUED = 1024;
/** Queues without calls are kept while they are few: most keys come again soon. */
const MAX_IDLE_QUEUES = 1000;

/**
 * Limits the calls that are active at a time, fairly between keys. A call is admitted at once while
 * connections are free; else it waits in the queue of its key, and the queues are served in turn. A quarter
 * of the connections is reserved for keys that have none, so that a key with a thousand calls does not delay
 * the first call of another.
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
  /** The queues with waiting calls, the next to be served first. */
  readonly #turns = new LinkedList<KeyQueue>();

  /** `connections`: how many calls are admitted at a time; `maxQueued`: how many may wait. */
  constructor(connections: number, maxQueued = MAX_QUEUED) {
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

  /**
   * Admits a call of this key or lets it wait. When the queue is full, the key with the most waiting calls
   * loses its last one; null where that is this one.
   */
  acquire(keyHash: string): Permit | null {
    const queue = this.#queues.get(keyHash) ?? new KeyQueue(keyHash);
    this.#queues.set(keyHash, queue);
    const permit = new Permit(this, queue);
    if (queue.waiting.length === 0 && this.#hasConnectionFor(queue)) this.#admit(permit);
    else if (this.#makeRoom(queue)) this.#enqueue(permit);
    else {
      this.#tidy(queue);
      return null;
    }
    return permit;
  }

  /** For a permit that is admitted or waits. */
  release(permit: Permit): void {
    const { queue } = permit;
    if (permit.state === 'admitted') {
      this.active -= 1;
      queue.active -= 1;
    } else this.#dequeue(permit);
    permit.state = 'released';
    this.#tidy(queue);
    if (this.queued > 0) this.#serve();
  }

  #hasConnectionFor(queue: KeyQueue): boolean {
    return this.active < this.#connections - (queue.active > 0 ? this.#reserved : 0);
  }

  #admit(permit: Permit): void {
    this.active += 1;
    permit.queue.active += 1;
    permit.state = 'admitted';
  }

  #serve(): void {
    for (let queue = this.#nextQueue(); queue; queue = this.#nextQueue()) {
      const { first } = queue.waiting;
      if (!first) return;
      // The turn of the queue is over: its next one comes after those of all others.
      this.#turns.remove(queue);
      this.#turns.append(queue);
      this.#dequeue(first);
      this.#admit(first);
      // In a microtask: the call that has released its connection may not be done with it.
      queueMicrotask(() => {
        if (first.state === 'admitted') first.onEnd?.(true);
      });
    }
  }

  /** The queue whose turn it is; null where no connection is free for any. */
  #nextQueue(): KeyQueue | null {
    if (this.active >= this.#connections) return null;
    let queue = this.#turns.first;
    while (queue && !this.#hasConnectionFor(queue)) queue = queue.next;
    return queue;
  }

  /** Makes room for one more call of this key; false where the call itself is to be rejected. */
  #makeRoom(own: KeyQueue): boolean {
    if (this.queued < this.#maxQueued) return true;
    let longest = own;
    // With this call: a key with as many waiting calls does not lose one to it.
    let most = own.waiting.length + 1;
    for (let queue = this.#turns.first; queue; queue = queue.next) {
      if (queue.waiting.length > most) [longest, most] = [queue, queue.waiting.length];
    }
    const { last } = longest.waiting;
    if (longest === own || !last) return false;
    last.release();
    last.onEnd?.(false);
    return true;
  }

  #enqueue(permit: Permit): void {
    const { queue } = permit;
    queue.waiting.append(permit);
    this.queued += 1;
    if (queue.waiting.length === 1) this.#turns.append(queue);
  }

  #dequeue(permit: Permit): void {
    const { queue } = permit;
    queue.waiting.remove(permit);
    this.queued -= 1;
    if (queue.waiting.length === 0) this.#turns.remove(queue);
  }

  #tidy(queue: KeyQueue): void {
    const isIdle = queue.waiting.length === 0 && queue.active === 0;
    if (isIdle && this.#queues.size > MAX_IDLE_QUEUES) this.#queues.delete(queue.keyHash);
  }
}

/** The calls of one key. */
class KeyQueue implements Linked<KeyQueue> {
  readonly keyHash: string;
  active = 0;
  readonly waiting = new LinkedList<Permit>();
  previous: KeyQueue | null = null;
  next: KeyQueue | null = null;

  constructor(keyHash: string) {
    this.keyHash = keyHash;
  }
}

/** A connection, or a place in the queue for one. */
export class Permit implements Linked<Permit> {
  state: 'queued' | 'admitted' | 'released' = 'queued';
  readonly queue: KeyQueue;
  /**
   * To be set at once where it is not admitted: called once, when the call is admitted or because the queue
   * is full, unless the permit is released before. A rejected one needs no release.
   */
  onEnd: ((isAdmitted: boolean) => void) | null = null;
  previous: Permit | null = null;
  next: Permit | null = null;
  readonly #limiter: FairLimiter;

  constructor(limiter: FairLimiter, queue: KeyQueue) {
    this.#limiter = limiter;
    this.queue = queue;
  }

  /** Gives back the connection or the place; does nothing the second time. */
  release(): void {
    if (this.state !== 'released') this.#limiter.release(this);
  }
}

/** What can be in a linked list: in one at a time. */
interface Linked<T> {
  previous: T | null;
  next: T | null;
}

/** A doubly linked list whose elements hold its links, so that adding and removing allocate nothing. */
export class LinkedList<T extends Linked<T>> {
  first: T | null = null;
  last: T | null = null;
  length = 0;

  append(element: T): void {
    element.previous = this.last;
    if (this.last) this.last.next = element;
    else this.first = element;
    this.last = element;
    this.length += 1;
  }

  /** For an element of this list. */
  remove(element: T): void {
    const { previous, next } = element;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.last = previous;
    // Unlinks both ways: a removed element in old space must not retain its neighbours (decision 18).
    element.previous = null;
    element.next = null;
    this.length -= 1;
  }
}
