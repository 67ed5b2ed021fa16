import { type Linked, LinkedList } from './linked-list.ts';

/** What has a deadline. */
export interface Timed {
  /** Called once when the time is over, unless the deadline is cleared before. */
  onDeadline(): void;
}

/** A deadline that is pending. */
export interface Deadline {
  clear(): void;
}

/** The pending deadlines of each duration in milliseconds: in the order in which they end. */
const queues = new Map<number, DeadlineQueue>();

/**
 * Starts a deadline. All deadlines of one duration share one timer, because every request has two of them. They do not
 * keep the process running.
 */
export function startDeadline(timeoutMs: number, timed: Timed): Deadline {
  const queue = queues.get(timeoutMs) ?? new DeadlineQueue(timeoutMs);
  queues.set(timeoutMs, queue);
  return queue.add(timed);
}

class DeadlineQueue {
  readonly #timeoutMs: number;
  readonly #pending = new LinkedList<PendingDeadline>();
  #hasTimer = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  add(timed: Timed): Deadline {
    const deadline = new PendingDeadline(this, performance.now() + this.#timeoutMs, timed);
    this.#pending.append(deadline);
    if (!this.#hasTimer) this.#wait(this.#timeoutMs);
    return deadline;
  }

  remove(deadline: PendingDeadline): void {
    this.#pending.remove(deadline);
  }

  #wait(ms: number): void {
    this.#hasTimer = true;
    setTimeout(() => this.#onTimer(), ms).unref();
  }

  #onTimer(): void {
    this.#hasTimer = false;
    const nowMs = performance.now();
    const pending = this.#pending;
    while (pending.first && pending.first.endsAtMs <= nowMs) pending.first.end();
    if (pending.first && !this.#hasTimer) this.#wait(pending.first.endsAtMs - nowMs);
    else if (!pending.first) queues.delete(this.#timeoutMs);
  }
}

class PendingDeadline implements Deadline, Linked<PendingDeadline> {
  readonly endsAtMs: number;
  readonly #queue: DeadlineQueue;
  #timed: Timed | null;
  previous: PendingDeadline | null = null;
  next: PendingDeadline | null = null;

  constructor(queue: DeadlineQueue, endsAtMs: number, timed: Timed) {
    this.#queue = queue;
    this.endsAtMs = endsAtMs;
    this.#timed = timed;
  }

  clear(): void {
    if (this.#timed === null) return;
    this.#timed = null;
    this.#queue.remove(this);
  }

  end(): void {
    const timed = this.#timed;
    this.clear();
    timed?.onDeadline();
  }
}
