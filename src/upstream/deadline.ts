import type { Aborter } from '../abort.ts';
import { UpstreamTimeout } from './errors.ts';
import { type Linked, LinkedList } from './linked-list.ts';

/** A deadline that is pending. */
export interface Deadline {
  clear(): void;
}

/** The pending deadlines of each duration in milliseconds: in the order in which they end. */
const queues = new Map<number, DeadlineQueue>();

/**
 * Aborts `signal` with an UpstreamTimeout after `timeoutMs`, unless the deadline is cleared before. All deadlines of one
 * duration share one timer, because every request has two of them. They do not keep the process running.
 */
export function startDeadline(timeoutMs: number, signal: Aborter): Deadline {
  const queue = queues.get(timeoutMs) ?? new DeadlineQueue(timeoutMs);
  queues.set(timeoutMs, queue);
  return queue.add(signal);
}

class DeadlineQueue {
  readonly timeoutMs: number;
  readonly #pending = new LinkedList<PendingDeadline>();
  #hasTimer = false;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  add(signal: Aborter): Deadline {
    const deadline = new PendingDeadline(this, performance.now() + this.timeoutMs, signal);
    this.#pending.append(deadline);
    if (!this.#hasTimer) this.#wait(this.timeoutMs);
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
    else if (!pending.first) queues.delete(this.timeoutMs);
  }
}

class PendingDeadline implements Deadline, Linked<PendingDeadline> {
  readonly endsAtMs: number;
  readonly #queue: DeadlineQueue;
  #signal: Aborter | null;
  previous: PendingDeadline | null = null;
  next: PendingDeadline | null = null;

  constructor(queue: DeadlineQueue, endsAtMs: number, signal: Aborter) {
    this.#queue = queue;
    this.endsAtMs = endsAtMs;
    this.#signal = signal;
  }

  clear(): void {
    if (this.#signal === null) return;
    this.#signal = null;
    this.#queue.remove(this);
  }

  end(): void {
    const signal = this.#signal;
    const { timeoutMs } = this.#queue;
    this.clear();
    signal?.abort(() => new UpstreamTimeout(timeoutMs));
  }
}
