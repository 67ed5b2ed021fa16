/** Calls back once when its time is over, unless it is cleared before. */
export interface Deadline {
  clear(): void;
}

/** The pending deadlines of each duration in milliseconds: in the order in which they end. */
const queues = new Map<number, DeadlineQueue>();

/**
 * Starts a deadline. All deadlines of one duration share one timer, because every request has two of them. They do not
 * keep the process running.
 */
export function startDeadline(timeoutMs: number, onDeadline: () => void): Deadline {
  const queue = queues.get(timeoutMs) ?? new DeadlineQueue(timeoutMs);
  queues.set(timeoutMs, queue);
  return queue.add(onDeadline);
}

class DeadlineQueue {
  readonly #timeoutMs: number;
  #first: PendingDeadline | null = null;
  #last: PendingDeadline | null = null;
  #hasTimer = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  add(onDeadline: () => void): Deadline {
    const deadline = new PendingDeadline(this, performance.now() + this.#timeoutMs, onDeadline);
    deadline.previous = this.#last;
    if (this.#last) this.#last.next = deadline;
    else this.#first = deadline;
    this.#last = deadline;
    if (!this.#hasTimer) this.#wait(this.#timeoutMs);
    return deadline;
  }

  remove(deadline: PendingDeadline): void {
    const { previous, next } = deadline;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    // Unlinks both ways: a removed deadline in old space must not retain its neighbours (decision 18).
    deadline.previous = null;
    deadline.next = null;
  }

  #wait(ms: number): void {
    this.#hasTimer = true;
    setTimeout(() => this.#onTimer(), ms).unref();
  }

  #onTimer(): void {
    this.#hasTimer = false;
    const nowMs = performance.now();
    while (this.#first && this.#first.endsAtMs <= nowMs) this.#first.end();
    if (this.#first && !this.#hasTimer) this.#wait(this.#first.endsAtMs - nowMs);
    else if (!this.#first) queues.delete(this.#timeoutMs);
  }
}

class PendingDeadline implements Deadline {
  readonly endsAtMs: number;
  readonly #queue: DeadlineQueue;
  #onDeadline: (() => void) | null;
  previous: PendingDeadline | null = null;
  next: PendingDeadline | null = null;

  constructor(queue: DeadlineQueue, endsAtMs: number, onDeadline: () => void) {
    this.#queue = queue;
    this.endsAtMs = endsAtMs;
    this.#onDeadline = onDeadline;
  }

  clear(): void {
    if (this.#onDeadline === null) return;
    this.#onDeadline = null;
    this.#queue.remove(this);
  }

  end(): void {
    const onDeadline = this.#onDeadline;
    this.clear();
    onDeadline?.();
  }
}
