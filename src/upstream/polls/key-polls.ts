import type { UpstreamResponse } from '../call.ts';
import { UpstreamForbidden, UpstreamPollLimit, UpstreamRateLimited, UpstreamUnavailable } from '../errors.ts';
import { reservedMs } from '../rate-limit.ts';
import { Poll, type PollEnvironment, type PollOptions, type Subscriber, type TargetFor } from './poll.ts';

export interface KeyPollsOptions extends PollOptions {
  callsPerMinute: number;
  maxPolls: number;
  /** Called when the key has no polls any more. */
  onEmpty(): void;
}

const MINUTE_MS = 60_000;
/** The longest pause after a 429 that names none. */
const MAX_BACKOFF_MS = 60_000;
/** The share of the calls of a minute that may be made at once. */
const BURST_SHARE = 1 / 10;

/** The polls of one key. They exist while a stream reads them, and with them the key itself. */
export class KeyPolls implements PollEnvironment {
  readonly options: KeyPollsOptions;
  readonly #polls = new Map<string, Poll>();
  /** The subscribers that had no room, each with the resources that it wanted. */
  readonly #waiting = new Map<Subscriber, Set<string>>();
  /** Until when the rest of the quota is left to queries. */
  #reservedUntilMs = 0;
  /** Until when the REST API is not to be called. */
  #pausedUntilMs = 0;
  /** How many of the latest pauses followed each other without a response in between. */
  #pauses = 0;
  #forbiddenAtMs = 0;
  /** GCRA: the theoretical arrival time of the next call. */
  #arrivalMs = 0;
  readonly #burst: number;
  readonly #apartMs: number;

  constructor(options: KeyPollsOptions) {
    this.options = options;
    const { callsPerMinute } = options;
    this.#burst = Math.max(Math.floor(callsPerMinute * BURST_SHARE), 1);
    this.#apartMs = MINUTE_MS / (callsPerMinute - this.#burst + 1);
  }

  get size(): number {
    return this.#polls.size;
  }

  /** Whether the polls are less frequent than their subscribers want, because of the key's limits. */
  get isStretched(): boolean {
    if (this.pausedUntilMs(performance.now()) > performance.now()) return true;
    return [...this.#polls.values()].some(({ everyMs }) => this.intervalMs(everyMs, 1) > everyMs);
  }

  /** The poll of a resource, begun if needed. @throws UpstreamPollLimit: the subscriber waits for room */
  poll(resource: string, targetFor: TargetFor, subscriber: Subscriber): Poll {
    if (!this.#hasRoom(resource, subscriber.isFirst)) {
      this.#waiting.set(subscriber, (this.#waiting.get(subscriber) ?? new Set()).add(resource));
      throw new UpstreamPollLimit(this.options.maxPolls, 'polls');
    }
    const known = this.#polls.get(resource);
    if (known) return known;
    const poll = new Poll(this, targetFor);
    this.#polls.set(resource, poll);
    this.#rescheduleAll();
    return poll;
  }

  /**
   * Whether a resource may be read. What only replaced subscribers read does not count, but for a first
   * subscriber's new polls.
   */
  #hasRoom(resource: string, isFirst: boolean): boolean {
    const { maxPolls } = this.options;
    const known = this.#polls.get(resource);
    if (known?.isCounted || this.#polls.size < maxPolls) return true;
    if (!known && (isFirst || this.#polls.size >= 2 * maxPolls)) return false;
    return [...this.#polls.values()].filter(({ isCounted }) => isCounted).length < maxPolls;
  }

  isWaiting(subscriber: Subscriber): boolean {
    return this.#waiting.has(subscriber);
  }

  /** Whether there is room now for what the subscriber had no room for. */
  hasRoomFor(subscriber: Subscriber): boolean {
    return [...(this.#waiting.get(subscriber) ?? [])].some((resource) => this.#hasRoom(resource, true));
  }

  /** Its polls are released. A subscriber that waits for room reads again; the next when that is replaced. */
  release(subscriber: Subscriber): void {
    this.#waiting.delete(subscriber);
    const next = [...this.#waiting.keys()].find((one) => this.hasRoomFor(one));
    if (next) next.onChange();
    else if (this.#polls.size === 0) this.options.onEmpty();
  }

  /** All polls together stay within `callsPerMinute`, however many there are. */
  intervalMs(everyMs: number, jitter: number): number {
    const least = (MINUTE_MS * this.#polls.size) / this.options.callsPerMinute;
    return Math.max(everyMs * jitter, least * Math.max(jitter, 1));
  }

  /** A rate limiter: at most `callsPerMinute` in any minute, a burst at once, and the others one by one. */
  acquire(): number {
    const waitMs = this.#arrivalMs - (this.#burst - 1) * this.#apartMs - performance.now();
    if (waitMs > 0) return waitMs;
    this.count();
    return 0;
  }

  count(): void {
    this.#arrivalMs = Math.max(this.#arrivalMs, performance.now()) + this.#apartMs;
  }

  /**
   * After a 403 each poll is called once, whatever is reserved: the key may be revoked, and then its streams
   * must not go on showing what they have.
   */
  pausedUntilMs(startedAtMs: number): number {
    const isChecked = startedAtMs >= this.#forbiddenAtMs;
    return Math.max(this.#pausedUntilMs, isChecked ? this.#reservedUntilMs : 0);
  }

  onHeaders(headers: UpstreamResponse['headers']): void {
    this.#pauses = 0;
    const ms = reservedMs(headers);
    if (ms === 0) return;
    this.#reservedUntilMs = Math.max(this.#reservedUntilMs, performance.now() + ms);
    this.#rescheduleAll();
  }

  onError(error: Error): void {
    if (error instanceof UpstreamForbidden) {
      this.#forbiddenAtMs = performance.now();
      this.#rescheduleAll();
    } else if (error instanceof UpstreamRateLimited) this.#pause(error, error.retryAfter);
    else if (error instanceof UpstreamUnavailable && error.retryAfter) this.#pause(error, error.retryAfter);
  }

  /** Without `seconds` the wait grows each time: twice the interval, then four times, up to a minute. */
  #pause(error: Error, seconds: number | undefined): void {
    const nowMs = performance.now();
    // The calls that were in flight together are one reason to pause.
    if (nowMs >= this.#pausedUntilMs) this.#pauses += 1;
    const everyMs = Math.min(...[...this.#polls.values()].map((poll) => poll.everyMs));
    const ms = seconds ? seconds * 1000 : Math.min(everyMs * 2 ** this.#pauses, MAX_BACKOFF_MS);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + ms);
    for (const poll of this.#polls.values()) poll.onPause(error);
  }

  onEmpty(poll: Poll): void {
    this.#polls.delete(poll.resource);
    this.#rescheduleAll();
  }

  #rescheduleAll(): void {
    for (const poll of this.#polls.values()) poll.reschedule();
  }
}
