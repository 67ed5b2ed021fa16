import type { KeyHolder, UpstreamCall } from '../../../rest/caller.ts';
import {
  UpstreamBudgetExceeded,
  UpstreamCancelled,
  UpstreamForbidden,
  UpstreamPollLimit,
  UpstreamRateLimited,
  UpstreamTimeout,
  UpstreamUnavailable,
} from '../../../rest/errors.ts';
import type { Notices } from '../../../rest/notices.ts';
import {
  type ConversationContext,
  contextTarget,
  type Relation,
  type Site,
  SiteTarget,
} from '../../../rest/resources.ts';
import { SyncPromise } from '../../../rest/sync-promise.ts';
import {
  Poll,
  type PollOptions,
  type PollScheduler,
  type Subscriber,
  type SubscriberOptions,
  type TargetFor,
} from './poll.ts';
import { ALL_FIELDS, type Checked, KeyMemory, type StaleRead } from './poll-state.ts';

interface KeyPollsOptions extends PollOptions {
  callsPerMinute: number;
  maxPollsPerKey?: number;
}

interface PollsOptions extends Omit<KeyPollsOptions, 'key' | 'memory' | 'counters'> {
  /** How much memory live queries may keep. */
  maxBytes: number;
}

export type Polls = ReturnType<typeof createPolls>;

/** Sites and conversations that the streams of one key poll. */
const MAX_POLLS_PER_KEY = 100;

/** Regular calls to the REST API, one for each resource of a key, however many read it. */
export function createPolls({ maxBytes, ...options }: PollsOptions) {
  const memory = { used: 0, limit: maxBytes };
  const counters = { requests: 0, changes: 0 };
  return {
    /** The calls that were sent, and how many of them brought other data than before. */
    counters,
    memory,
    /** The polls of a key that has none. */
    ofKey: (key: KeyHolder) => new KeyPolls({ ...options, key, memory: new KeyMemory(memory), counters }),
  };
}

const MINUTE_MS = 60_000;
/** The longest pause after a 429 that names none. */
const MAX_BACKOFF_MS = 60_000;
/** The shortest interval of a poll and how much longer another one is, where its subscribers want 1. */
const MIN_JITTER = 0.9;
const JITTER = 0.2;
/** The share of the calls of a minute that may be made at once. */
const BURST_SHARE = 1 / 10;

/** The calls that may be made at once, and those of each minute in the long run, which leave room for a burst. */
export function pollRates(callsPerMinute: number): { burst: number; sustained: number } {
  const burst = Math.max(Math.floor(callsPerMinute * BURST_SHARE), 1);
  return { burst, sustained: callsPerMinute - burst + 1 };
}

/** The polls of one key, which share its limits and one timer. A poll exists while a subscriber reads it. */
export class KeyPolls implements PollScheduler {
  readonly options: KeyPollsOptions;
  readonly #polls = new Map<string, Poll>();
  /** The subscribers that had no room, each with the resources that it wanted. */
  readonly #waiting = new Map<Subscriber, Set<string>>();
  /** For the next call, and the next data to become stale. */
  #timer: NodeJS.Timeout | undefined;
  /** What the REST API said in the latest response to a poll. */
  notices: Notices | null = null;
  #noticedAtMs = 0;
  /** Until when the rest of the quota is left to queries. */
  #reservedUntilMs = 0;
  /** Until when the REST API is not to be called. */
  #pausedUntilMs = 0;
  /** How many of the latest pauses followed each other without a response in between. */
  #pauses = 0;
  #forbiddenAtMs = 0;
  /** GCRA: the theoretical arrival time of the next call. */
  #arrivalMs = 0;
  readonly #maxPolls: number;
  /** The time between two calls, and how much sooner a burst may come. */
  readonly #limit: { apartMs: number; burstMs: number };

  constructor(options: KeyPollsOptions) {
    this.options = options;
    const { callsPerMinute, maxPollsPerKey = MAX_POLLS_PER_KEY } = options;
    this.#maxPolls = maxPollsPerKey;
    const { burst, sustained } = pollRates(callsPerMinute);
    const apartMs = MINUTE_MS / sustained;
    this.#limit = { apartMs, burstMs: (burst - 1) * apartMs };
  }

  /** Of the key: whatever else live queries keep for it counts towards the same limit. */
  get memory(): KeyMemory {
    return this.options.memory;
  }

  get size(): number {
    return this.#polls.size;
  }

  /** Whether the polls are less frequent than their subscribers want, because of the key's limits. */
  get isThrottled(): boolean {
    const nowMs = performance.now();
    if (this.pausedUntilMs(nowMs) > nowMs) return true;
    return [...this.#polls.values()].some(({ everyMs }) => everyMs < this.#leastIntervalMs);
  }

  /** The poll of a resource, for a load. @throws UpstreamPollLimit: the subscriber waits for room */
  poll(resource: string, targetFor: TargetFor, subscriber: Subscriber): Poll {
    if (!this.#hasRoom(resource, subscriber.options.isFirst)) {
      this.#waiting.set(subscriber, (this.#waiting.get(subscriber) ?? new Set()).add(resource));
      throw new UpstreamPollLimit(this.#maxPolls, 'polls');
    }
    const poll = this.#polls.get(resource) ?? new Poll(this, targetFor);
    this.#polls.set(resource, poll);
    return poll;
  }

  /** What only replaced subscribers read does not count, but for the new polls of a first subscriber. */
  #hasRoom(resource: string, isFirst: boolean): boolean {
    const known = this.#polls.get(resource);
    if (known?.isCounted || this.#polls.size < this.#maxPolls) return true;
    if (!known && (isFirst || this.#polls.size >= 2 * this.#maxPolls)) return false;
    return [...this.#polls.values()].filter(({ isCounted }) => isCounted).length < this.#maxPolls;
  }

  isWaiting(subscriber: Subscriber): boolean {
    return this.#waiting.has(subscriber);
  }

  /** The subscriber is gone. One that waits for room reads again; the next when that is replaced. */
  release(subscriber: Subscriber): void {
    const { size } = this.#polls;
    for (const poll of this.#polls.values()) {
      if (poll.release(subscriber)) this.#polls.delete(poll.resource);
    }
    if (this.#polls.size < size) this.schedule();
    this.#waiting.delete(subscriber);
    const hasRoom = (resource: string) => this.#hasRoom(resource, true);
    const [next] = [...this.#waiting].find(([, resources]) => [...resources].some(hasRoom)) ?? [];
    next?.onChange(new Set([ALL_FIELDS]));
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
    const timesMs = Array.from(this.#polls.values(), (poll) => [this.#dueAtMs(poll), poll.state.staleAtMs]);
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
      poll.markStale();
      if (this.#dueAtMs(poll) > nowMs) continue;
      this.count();
      void poll.request();
    }
    this.schedule();
  }

  #dueAtMs(poll: Poll): number {
    if (!poll.isIdle) return Number.POSITIVE_INFINITY;
    const { startedAtMs, spread } = poll;
    const intervalMs = this.intervalMs(poll);
    const pausedUntilMs = this.pausedUntilMs(startedAtMs);
    // The polls of a key that waited for its limit do not start together.
    const spreadMs = pausedUntilMs > startedAtMs ? spread * JITTER * intervalMs : 0;
    return Math.max(startedAtMs + intervalMs, pausedUntilMs + spreadMs, this.admittedAtMs);
  }

  /** A rate limiter: at most `callsPerMinute` in any minute, a burst at once, and the others one by one. */
  get admittedAtMs(): number {
    return this.#arrivalMs - this.#limit.burstMs;
  }

  count(): void {
    this.#arrivalMs = Math.max(this.#arrivalMs, performance.now()) + this.#limit.apartMs;
  }

  /**
   * Until when a poll waits whose latest call began at `startedAtMs`. After a 403 each poll is called once,
   * whatever is reserved: the key may be revoked, and then its streams must not go on showing what they have.
   */
  pausedUntilMs(startedAtMs: number): number {
    const isChecked = startedAtMs >= this.#forbiddenAtMs;
    return Math.max(this.#pausedUntilMs, isChecked ? this.#reservedUntilMs : 0);
  }

  onSuccess(): void {
    this.#pauses = 0;
  }

  onNotices(notices: Notices): void {
    this.notices = notices;
    this.#noticedAtMs = performance.now();
    this.#reservedUntilMs = Math.max(this.#reservedUntilMs, this.#noticedAtMs + notices.reservedMs);
  }

  /** Null once it is full again: no response has said so yet. */
  get quota(): Notices['quota'] {
    const { quota = null } = this.notices ?? {};
    const resetMs = (quota?.resetSeconds ?? Number.POSITIVE_INFINITY) * 1000;
    return performance.now() < this.#noticedAtMs + resetMs ? quota : null;
  }

  onError(error: Error): void {
    if (error instanceof UpstreamForbidden) this.#forbiddenAtMs = performance.now();
    else if (error instanceof UpstreamRateLimited) this.#pause(error, error.retryAfter);
    else if (error instanceof UpstreamUnavailable && error.retryAfter) this.#pause(error, error.retryAfter);
  }

  /** Without `seconds` the wait grows each time: twice the interval, then four times, up to a minute. */
  #pause(error: Error, seconds: number | undefined): void {
    const nowMs = performance.now();
    // The calls that were in flight together are one reason to pause.
    if (nowMs >= this.#pausedUntilMs) this.#pauses += 1;
    const everyMs = Math.min(...Array.from(this.#polls.values(), (poll) => poll.everyMs));
    const ms = seconds ? seconds * 1000 : Math.min(everyMs * 2 ** this.#pauses, MAX_BACKOFF_MS);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + ms);
    for (const poll of this.#polls.values()) poll.state.onPause(error);
  }
}

interface ReaderOptions extends SubscriberOptions {
  /** What may be read: changes of other fields, like `Client.name`, are not reported. */
  fields: ReadonlySet<string>;
  /** How many resources it may read. */
  maxPolls: number;
  /** For how long its loads may take. */
  timeoutMs: number;
  /** Called when `isOutdated` is true, perhaps again. */
  onOutdated(): void;
}

/** What one execution of a live query reads with. As long as it is not released, its resources are polled. */
export class PollReader implements Subscriber {
  /** Whether a load returned data. */
  hasData = false;
  /** Whether a poll shows something else than what was read, or there is room for one that was not read. */
  isOutdated = false;
  isReplaced = false;
  isLate = false;
  readonly options: ReaderOptions;
  readonly keyPolls: KeyPolls;
  /** By resource. */
  readonly #polls = new Map<string, Poll>();
  /** By path: an execution reads each once. Null when it has ended. */
  #loads: Map<string, SyncPromise<unknown>> | null = new Map();
  #deadline: NodeJS.Timeout | undefined;

  constructor(keyPolls: KeyPolls, options: ReaderOptions) {
    this.keyPolls = keyPolls;
    this.options = options;
  }

  site(id: string, include: readonly Relation[]): Promise<Site | null> {
    return this.#load((relations) => new SiteTarget(id, relations), include) as Promise<Site | null>;
  }

  conversationContext(id: string): Promise<ConversationContext | null> {
    return this.#load(() => contextTarget(id), []) as Promise<ConversationContext | null>;
  }

  /** The latest call of each poll. */
  get calls(): UpstreamCall[] {
    return [...this.#polls.values()].flatMap(({ call }) => call ?? []);
  }

  /** How current the data is: of the resource that has missed the most polls. */
  get checked(): Checked {
    const all = [...this.#polls.values()].map((poll) => {
      const ageMs = poll.ageMsOf(this);
      return { ageMs, intervals: ageMs / this.keyPolls.intervalMs(poll) };
    });
    return all.sort((a, b) => b.intervals - a.intervals)[0] ?? { ageMs: 0, intervals: 0 };
  }

  get stale(): StaleRead[] {
    return [...this.#polls.values()].flatMap((poll) => poll.staleOf(this));
  }

  /** Whether something can change: false where nothing is polled, or no poll goes on. */
  get isPolling(): boolean {
    if (this.keyPolls.isWaiting(this)) return true;
    return [...this.#polls.values()].some(({ state }) => !state.isForbidden);
  }

  onChange(changes: ReadonlySet<string>): void {
    const { fields, onOutdated } = this.options;
    this.isOutdated ||= changes.has(ALL_FIELDS) || [...changes].some((field) => fields.has(field));
    if (this.isOutdated) onOutdated();
  }

  /** The execution has its result; what it read is polled until `release`. */
  end(): void {
    clearTimeout(this.#deadline);
    this.#rejectLoads(new UpstreamCancelled());
    this.#loads = null;
  }

  release(): void {
    this.end();
    this.keyPolls.release(this);
  }

  #load(targetFor: TargetFor, include: readonly Relation[]): Promise<unknown> {
    const { resource, path } = targetFor(include);
    const known = this.#loads?.get(path);
    if (known) return known;
    const load = new SyncPromise<unknown>();
    this.#loads?.set(path, load);
    load.resolveWith(() => {
      // After the release, further polls would never be released.
      if (!this.#loads) throw new UpstreamCancelled();
      this.#deadline ??= setTimeout(() => this.#onDeadline(), this.options.timeoutMs).unref();
      return this.#pollOf(resource, targetFor).load(this, include);
    });
    const onData = () => {
      this.hasData = true;
    };
    load.whenSettled(onData, () => {});
    return load;
  }

  #pollOf(resource: string, targetFor: TargetFor): Poll {
    const known = this.#polls.get(resource);
    if (known) return known;
    const { maxPolls } = this.options;
    if (this.#polls.size >= maxPolls) throw new UpstreamBudgetExceeded(maxPolls + 1, maxPolls);
    const poll = this.keyPolls.poll(resource, targetFor, this);
    this.#polls.set(resource, poll);
    return poll;
  }

  #onDeadline(): void {
    this.isLate = true;
    this.#rejectLoads(new UpstreamTimeout(this.options.timeoutMs));
  }

  #rejectLoads(error: Error): void {
    for (const load of this.#loads?.values() ?? []) load.reject(error);
  }
}
