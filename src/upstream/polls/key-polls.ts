import type { UpstreamResponse } from '../call.ts';
import { UpstreamForbidden, UpstreamPollLimit, UpstreamRateLimited, UpstreamUnavailable } from '../errors.ts';
import { Poll, type PollEnvironment, type Reader } from './poll.ts';
import type { TargetFor } from './poll-state.ts';
import { reservedMs } from './rate-limit-fields.ts';

type Common = Pick<PollEnvironment, 'key' | 'send' | 'shared' | 'memory' | 'staleMs' | 'counters'>;

export interface KeyPollsOptions extends Common {
  callsPerMinute: number;
  maxPolls: number;
  /** Called when the key has no polls any more. */
  onEmpty(): void;
}

const MINUTE_MS = 60_000;
/** The longest pause after a 429 that names none. */
const MAX_BACKOFF_MS = 60_000;
/** The share of the calls of a minute that may be made at once. */
const AT_ONCE = 1 / 10;

/** The polls of one key. They exist while a stream reads them, and with them the key itself. */
export class KeyPolls implements PollEnvironment {
  readonly key: Common['key'];
  readonly send: Common['send'];
  readonly shared: Common['shared'];
  readonly memory: Common['memory'];
  readonly staleMs: number;
  readonly counters: Common['counters'];
  readonly #options: KeyPollsOptions;
  readonly #polls = new Map<string, Poll>();
  /** The readers that had no room, each with the resources that it wanted. */
  readonly #waiting = new Map<Reader, Set<string>>();
  /** Until when the rest of the quota is left to queries. */
  #reservedUntilMs = 0;
  /** Until when the REST API is not to be called. */
  #pausedUntilMs = 0;
  /** How many of the latest pauses followed each other without a response in between. */
  #pauses = 0;
  #forbiddenAtMs = 0;
  /** The time by which the turns that were taken would be over, one by one. */
  #turnsUntilMs = 0;
  readonly #atOnce: number;
  readonly #apartMs: number;

  constructor(options: KeyPollsOptions) {
    this.key = options.key;
    this.send = options.send;
    this.shared = options.shared;
    this.memory = options.memory;
    this.staleMs = options.staleMs;
    this.counters = options.counters;
    this.#options = options;
    const { callsPerMinute } = options;
    this.#atOnce = Math.max(Math.floor(callsPerMinute * AT_ONCE), 1);
    this.#apartMs = MINUTE_MS / (callsPerMinute - this.#atOnce + 1);
  }

  get size(): number {
    return this.#polls.size;
  }

  /** Whether the polls are less frequent than their readers want, because of the key's limits. */
  get isStretched(): boolean {
    if (this.heldUntilMs(performance.now()) > performance.now()) return true;
    return [...this.#polls.values()].some(({ everyMs }) => this.intervalMs(everyMs, 1) > everyMs);
  }

  /** The poll of a resource, which begins with its first reader. @throws UpstreamPollLimit: the reader waits for room */
  poll(resource: string, targetFor: TargetFor, reader: Reader): Poll {
    if (!this.#hasRoom(resource, reader.isFirst)) {
      this.#waiting.set(reader, (this.#waiting.get(reader) ?? new Set()).add(resource));
      throw new UpstreamPollLimit(this.#options.maxPolls, 'polls');
    }
    const known = this.#polls.get(resource);
    if (known) return known;
    const poll = new Poll(this, targetFor);
    this.#polls.set(resource, poll);
    this.#rescheduleAll();
    return poll;
  }

  /** Whether a resource may be read. What only replaced readers read does not count, but for a first reader's new polls. */
  #hasRoom(resource: string, isFirst: boolean): boolean {
    const { maxPolls } = this.#options;
    const known = this.#polls.get(resource);
    if (known?.isCounted || this.#polls.size < maxPolls) return true;
    if (!known && (isFirst || this.#polls.size >= 2 * maxPolls)) return false;
    return [...this.#polls.values()].filter(({ isCounted }) => isCounted).length < maxPolls;
  }

  isWaiting(reader: Reader): boolean {
    return this.#waiting.has(reader);
  }

  /** Whether there is room now for what the reader had no room for. */
  hasRoomFor(reader: Reader): boolean {
    return [...(this.#waiting.get(reader) ?? [])].some((resource) => this.#hasRoom(resource, true));
  }

  /** The reader has released its polls. One that waits for room reads again; the next one follows when that is replaced. */
  release(reader: Reader): void {
    this.#waiting.delete(reader);
    const next = [...this.#waiting.keys()].find((one) => this.hasRoomFor(one));
    if (next) next.onChange();
    else if (this.#polls.size === 0) this.#options.onEmpty();
  }

  /** All polls together stay within `callsPerMinute`, however many there are. */
  intervalMs(everyMs: number, pace: number): number {
    const least = (MINUTE_MS * this.#polls.size) / this.#options.callsPerMinute;
    return Math.max(everyMs * pace, least * Math.max(pace, 1));
  }

  /** At most `callsPerMinute` in any minute, however many are due together: a few at once, and the others one by one. */
  takeTurn(): number {
    const waitMs = this.#turnsUntilMs - (this.#atOnce - 1) * this.#apartMs - performance.now();
    if (waitMs > 0) return waitMs;
    this.spendTurn();
    return 0;
  }

  spendTurn(): void {
    this.#turnsUntilMs = Math.max(this.#turnsUntilMs, performance.now()) + this.#apartMs;
  }

  /**
   * After a 403 each poll is called once, whatever is reserved: the key may be revoked, and then its streams must not go on
   * showing what they have.
   */
  heldUntilMs(startedAtMs: number): number {
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

  /** Without `seconds` the polls wait longer each time: twice their interval, then four times, up to a minute. */
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
