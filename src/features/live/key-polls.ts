import type { KeyHolder } from '../../rest/caller.ts';
import {
  UpstreamForbidden,
  UpstreamPollLimit,
  UpstreamRateLimited,
  UpstreamUnavailable,
} from '../../rest/errors.ts';
import type { Notices } from '../../rest/notices.ts';
import { KeyMemory } from './memory.ts';
import { Poll, type PollOptions, type PollScheduler, type Reader, type TargetFor } from './poll.ts';

interface KeyPollsOptions extends PollOptions {
  callsPerMinute: number;
  staleMs?: number;
  maxPollsPerKey?: number;
}

interface PollsOptions extends Omit<KeyPollsOptions, 'key' | 'memory' | 'counters'> {
  maxBytes?: number;
}

export type Polls = ReturnType<typeof createPolls>;

/** The bytes that live queries may keep. */
const MAX_BYTES = 134_217_728;
/** Sites and conversations that the streams of one key poll. */
const MAX_POLLS_PER_KEY = 100;
/** The time after which data that was to be refreshed is reported as stale. */
const STALE_MS = 60_000;

/** Regular calls to the REST API, one for each resource of a key, however many read it. */
export function createPolls({ maxBytes = MAX_BYTES, ...options }: PollsOptions) {
  const memory = { used: 0, limit: maxBytes };
  const counters = { requests: 0 };
  return {
    counters,
    memory,
    /** Creates the polls of a key that has none. */
    ofKey: (key: KeyHolder) => new KeyPolls({ ...options, key, memory: new KeyMemory(memory), counters }),
  };
}

const MINUTE_MS = 60_000;
/** The pause after a 429 without `Retry-After`. */
const PAUSE_S = 30;
/** A poll is called up to a tenth sooner or later than its readers want. */
const MIN_JITTER = 0.9;
const JITTER = 0.2;
/** The polls of one key, which share its limits and one timer. A poll exists while it has a reader. */
export class KeyPolls implements PollScheduler {
  readonly options: KeyPollsOptions;
  readonly #polls = new Map<string, Poll>();
  /** For the next call, and the next data to become stale. */
  #timer: NodeJS.Timeout | undefined;
  /** The notices of the latest response to a poll. */
  notices: Notices | null = null;
  /** Until then the rest of the quota is left to queries. */
  #reservedUntilMs = 0;
  /** Until then the REST API is not to be called. */
  #pausedUntilMs = 0;
  /** A rate limiter: the next poll may be called then, at most `callsPerMinute` in a minute, one by one. */
  admittedAtMs = 0;

  constructor(options: KeyPollsOptions) {
    this.options = options;
  }

  /** Of the key: results and operations count towards the same limit. */
  get memory(): KeyMemory {
    return this.options.memory;
  }

  get size(): number {
    return this.#polls.size;
  }

  /** The poll of a resource. @throws UpstreamPollLimit */
  poll(targetFor: TargetFor): Poll {
    const { maxPollsPerKey = MAX_POLLS_PER_KEY } = this.options;
    const { resource } = targetFor([]);
    const known = this.#polls.get(resource);
    if (known) return known;
    if (this.#polls.size >= maxPollsPerKey) throw new UpstreamPollLimit(maxPollsPerKey, 'polls');
    const poll = new Poll(this, targetFor);
    this.#polls.set(resource, poll);
    return poll;
  }

  /** Ends the polls that only this reader has read. */
  release(reader: Reader, polls: Iterable<Poll>): void {
    for (const poll of polls) if (poll.release(reader)) this.#polls.delete(poll.resource);
    this.schedule();
  }

  intervalMs({ everyMs, spread }: Pick<Poll, 'everyMs' | 'spread'>): number {
    const jitter = MIN_JITTER + spread * JITTER;
    return Math.max(everyMs * jitter, this.#leastIntervalMs * Math.max(jitter, 1));
  }

  /** With it all polls together stay within `callsPerMinute`, however many there are. */
  get #leastIntervalMs(): number {
    return (MINUTE_MS * this.#polls.size) / this.options.callsPerMinute;
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
    const wantedAtMs = poll.startedAtMs + this.intervalMs(poll);
    return Math.max(wantedAtMs, this.#pausedUntilMs, this.#reservedUntilMs, this.admittedAtMs);
  }

  /** Data is stale once its refresh is overdue for `staleMs`, whatever the reason. */
  #staleAtMs(poll: Poll): number {
    const { staleMs = STALE_MS } = this.options;
    return poll.freshUntilMs(this.intervalMs(poll) + staleMs);
  }

  count(): void {
    const apartMs = MINUTE_MS / this.options.callsPerMinute;
    this.admittedAtMs = Math.max(this.admittedAtMs, performance.now()) + apartMs;
  }

  onNotices(notices: Notices): void {
    this.notices = notices;
    this.#reservedUntilMs = Math.max(this.#reservedUntilMs, performance.now() + notices.reservedMs);
  }

  /**
   * After a 403 no poll waits for the quota: the key may be revoked, and then its streams must not go on showing what
   * they have. After a 429 or the `Retry-After` of a 503 all of them wait.
   */
  onError(error: Error): void {
    if (error instanceof UpstreamForbidden) this.#reservedUntilMs = 0;
    else if (error instanceof UpstreamRateLimited) this.#pause(error.retryAfter ?? PAUSE_S);
    else if (error instanceof UpstreamUnavailable) this.#pause(error.retryAfter ?? 0);
  }

  #pause(seconds: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, performance.now() + seconds * 1000);
  }
}
