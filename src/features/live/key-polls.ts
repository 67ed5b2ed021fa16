import type { PipelineCore } from '../../composition.ts';
import type { ApiKey } from '../../rest/caller.ts';
import { UpstreamError, UpstreamForbidden, UpstreamRateLimited } from '../../rest/errors.ts';
import type { Notices } from '../../rest/notices.ts';
import { createExecutionQueue } from './execution-queue.ts';
import { KeyMemory, type LiveCounts } from './memory.ts';
import { Poll, type PollScheduler, type Reader, type TargetFor } from './poll.ts';
import type { LiveSettings } from './settings.ts';

export type SendPoll = NonNullable<PipelineCore['request']>;

const MINUTE_MS = 60_000;
/** The pause after a 429 without `Retry-After`. */
const PAUSE_S = 30;

/** The polls of one key, which share its limits and one timer. A poll exists while it has a reader. */
export class KeyPolls implements PollScheduler {
  readonly key: ApiKey;
  readonly send: SendPoll;
  readonly counts: LiveCounts;
  readonly memory: KeyMemory;
  readonly enqueue = createExecutionQueue();
  /** The notices of the latest response to a poll. */
  notices: Notices | null = null;
  readonly #live: LiveSettings;
  readonly #polls = new Map<string, Poll>();
  /** For the next call, and the next data to become stale. */
  #timer: NodeJS.Timeout | undefined;
  /** Until then polls wait for the rate limit of the key, or leave the rest of its quota to queries. */
  #heldUntilMs = 0;
  /** A rate limiter: the next call may be made then, at most `callsPerMinute` in a minute, one by one. */
  #admittedAtMs = 0;

  constructor(key: ApiKey, send: SendPoll, counts: LiveCounts, live: LiveSettings) {
    this.key = key;
    this.send = send;
    this.counts = counts;
    this.memory = new KeyMemory(counts, live.maxBytes);
    this.#live = live;
  }

  get size(): number {
    return this.#polls.size;
  }

  /** The poll of a resource. @throws UpstreamPollLimit */
  poll(targetFor: TargetFor): Poll {
    const { maxPollsPerKey } = this.#live;
    const { resource } = targetFor([]);
    const known = this.#polls.get(resource);
    if (known) return known;
    if (this.#polls.size >= maxPollsPerKey) throw new UpstreamPollLimit(maxPollsPerKey);
    const poll = new Poll(this, targetFor);
    this.#polls.set(resource, poll);
    return poll;
  }

  /** Ends the polls that only this reader has read. */
  release(reader: Reader, polls: Iterable<Poll>): void {
    for (const poll of polls) if (poll.release(reader)) this.#polls.delete(poll.resource);
    this.schedule();
  }

  /** All polls together stay within `callsPerMinute`, however many there are. */
  intervalMs({ everyMs, jitter }: Poll): number {
    const leastMs = (MINUTE_MS * this.#polls.size) / this.#live.callsPerMinute;
    return Math.max(everyMs, leastMs) * jitter;
  }

  schedule(): void {
    clearTimeout(this.#timer);
    const timesMs = Array.from(this.#polls.values(), (poll) => [this.#dueAtMs(poll), this.#staleAtMs(poll)]);
    const atMs = Math.min(...timesMs.flat());
    if (atMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(Math.ceil(atMs - performance.now()), 0);
    this.#timer = setTimeout(() => this.#onTimer(), waitMs).unref();
  }

  #onTimer(): void {
    const nowMs = performance.now();
    // First the poll whose latest call is the longest ago.
    const polls = [...this.#polls.values()].sort((a, b) => a.startedAtMs - b.startedAtMs);
    for (const poll of polls) {
      if (this.#staleAtMs(poll) <= nowMs) poll.markStale();
      if (this.#dueAtMs(poll) > nowMs) continue;
      this.count();
      void poll.request();
    }
    this.schedule();
  }

  #dueAtMs(poll: Poll): number {
    if (!poll.isIdle) return Number.POSITIVE_INFINITY;
    return Math.max(poll.startedAtMs + this.intervalMs(poll), this.#heldUntilMs, this.#admittedAtMs);
  }

  #staleAtMs(poll: Poll): number {
    return poll.freshUntilMs(this.intervalMs(poll) + this.#live.staleMs);
  }

  count(): void {
    const apartMs = MINUTE_MS / this.#live.callsPerMinute;
    this.#admittedAtMs = Math.max(this.#admittedAtMs, performance.now()) + apartMs;
  }

  onNotices(notices: Notices): void {
    this.notices = notices;
    this.#hold(notices.reservedMs);
  }

  /** After a 403 no poll is held: the key may be revoked, and then its streams must not go on showing what they have. */
  onError(error: Error): void {
    if (error instanceof UpstreamForbidden) this.#heldUntilMs = 0;
    else if (error instanceof UpstreamRateLimited) this.#hold((error.retryAfter ?? PAUSE_S) * 1000);
  }

  #hold(ms: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, performance.now() + ms);
  }
}

class UpstreamPollLimit extends UpstreamError {
  readonly code = 'OPERATION_TOO_EXPENSIVE';
  constructor(limit: number) {
    super(
      `The live queries of this key read more than ${limit} sites and conversations, the limit. Close some of them.`,
    );
    this.details = { limit };
  }
}
