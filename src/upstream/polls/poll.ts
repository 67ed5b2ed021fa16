import { Aborter } from '../../abort.ts';
import { SyncPromise } from '../../sync-promise.ts';
import type { UpstreamCall } from '../caller.ts';
import { UpstreamCancelled } from '../errors.ts';
import { type Relation, relations } from '../resources.ts';
import type { KeyMemory } from './memory-limit.ts';
import { type CallEnvironment, PollCalls } from './poll-calls.ts';
import { PollState, type StaleRead, type TargetFor } from './poll-state.ts';

/** What the polls of one key have in common. */
export interface PollEnvironment extends CallEnvironment {
  readonly memory: KeyMemory;
  readonly staleMs: number;
  /** The time between two calls of a poll whose readers want one every so often; `pace` is its own factor. */
  intervalMs(everyMs: number, pace: number): number;
  /** Takes a turn among the polls of the key: 0, or the milliseconds to wait before the next attempt. */
  takeTurn(): number;
  /** Until when, on the clock of `performance.now`, a poll waits whose latest call began at `startedAtMs`. */
  heldUntilMs(startedAtMs: number): number;
  /** Called when the poll has no reader any more. */
  onEmpty(poll: Poll): void;
}

/** Reads the poll: what it shows, and again after `onChange`. */
export interface Reader {
  readonly everyMs: number;
  /** Counts the polls that have ended; readers may share it. */
  readonly counter: PollCounter;
  /** Whether no other has read the same before. */
  readonly isFirst: boolean;
  /** Whether another one is about to read in its place. */
  readonly isReplaced: boolean;
  onChange(): void;
}

export interface PollCounter {
  polls: number;
}

/** What a reader wants to load. */
export interface Load {
  reader: Reader;
  include: readonly Relation[];
  /** Failures of the first so many calls do not count: a new reader has the call made again. */
  since: number;
}

interface PendingLoad extends Load {
  promise: SyncPromise<unknown>;
}

/** Regular calls for one resource of one key, with the union of the relations that its readers want. */
export class Poll {
  readonly resource: string;
  readonly targetFor: TargetFor;
  readonly #environment: PollEnvironment;
  readonly #state: PollState;
  readonly #calls: PollCalls;
  readonly #readers = new Map<Reader, readonly Relation[]>();
  /** Loads that wait for a call. */
  #pending: PendingLoad[] = [];
  readonly #signal = new Aborter();
  #isCalling = false;
  #isRequested = false;
  #startedAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Different for each poll, so that calls spread over the interval. */
  readonly #pace = LEAST_PACE + Math.random() * (MOST_PACE - LEAST_PACE);

  constructor(environment: PollEnvironment, targetFor: TargetFor) {
    const { memory, staleMs } = environment;
    this.resource = targetFor([]).resource;
    this.targetFor = targetFor;
    this.#environment = environment;
    this.#state = new PollState(memory, staleMs, targetFor);
    this.#calls = new PollCalls(environment, this.#state, targetFor, this.#signal);
  }

  get lastCall(): UpstreamCall | null {
    return this.#calls.last;
  }

  get version(): number {
    return this.#state.version;
  }

  /** Whether a reader of these fields sees something else than at `version`. */
  hasChanged(version: number, fields: ReadonlySet<string>): boolean {
    return this.#state.hasChanged(version, fields);
  }

  /** What the reader sees though it is stale. */
  staleOf(reader: Reader): StaleRead[] {
    return this.#state.staleOf(this.#readers.get(reader) ?? []);
  }

  /** A 401 or 403 ended it: it makes no calls unless a new reader wants one. */
  get isForbidden(): boolean {
    return this.#state.isForbidden;
  }

  /** Whether it counts against the limit of the key. */
  get isCounted(): boolean {
    for (const { isReplaced } of this.#readers.keys()) if (!isReplaced) return true;
    return false;
  }

  /** How many calls have ended. */
  get attempts(): number {
    return this.#state.attempts;
  }

  /** The shortest interval that a reader wants. */
  get everyMs(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { everyMs } of this.#readers.keys()) least = Math.min(least, everyMs);
    return least;
  }

  /** What the poll shows of these relations, or will after its next call. */
  load(load: Load): SyncPromise<unknown> {
    const { reader, include, since } = load;
    const promise = new SyncPromise<unknown>();
    const isSooner = reader.everyMs < this.everyMs;
    this.#readers.set(reader, union([...(this.#readers.get(reader) ?? []), ...include]));
    if (this.#state.isSettled(include, since)) {
      this.#settle({ ...load, promise });
      if (isSooner) this.reschedule();
    } else {
      this.#pending.push({ ...load, promise });
      this.#requestAfterTick();
    }
    return promise;
  }

  /** The reader is gone; with the last one the poll ends, and forgets what it keeps. */
  release(reader: Reader): void {
    this.#pending = this.#pending.filter((load) => load.reader !== reader);
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearTimeout(this.#timer);
    this.#signal.abort(() => new UpstreamCancelled());
    this.#state.forget();
    this.#environment.onEmpty(this);
  }

  /** Plans the next call anew, after the interval has changed. */
  reschedule(): void {
    if (!this.#isCalling && !this.#isRequested) this.#schedule();
  }

  /** The polls of the key wait because of the failure of one. */
  onPause(error: Error): void {
    this.#state.onPause(error);
    this.reschedule();
  }

  #settle({ include, promise }: PendingLoad): void {
    promise.resolveWith(() => this.#state.read(include));
  }

  /** After the promise jobs of this tick, which may want more: like the loads of one operation. */
  #requestAfterTick(): void {
    this.#isRequested = true;
    clearTimeout(this.#timer);
    void Promise.resolve().then(() => process.nextTick(() => void this.#request()));
  }

  async #request(): Promise<void> {
    this.#isRequested = false;
    if (this.#readers.size === 0 || this.#isCalling) return;
    this.#isCalling = true;
    const startedAtMs = performance.now();
    const intervalMs = this.#environment.intervalMs(this.everyMs, this.#pace);
    const { version } = this.#state;
    const ageMs = await this.#calls.make(union([...this.#readers.values()].flat()), intervalMs);
    this.#startedAtMs = startedAtMs - ageMs;
    this.#isCalling = false;
    for (const counter of new Set(Array.from(this.#readers.keys(), (reader) => reader.counter)))
      counter.polls += 1;
    if (this.#readers.size === 0) return this.#state.forget();
    this.#onOutcome(version);
  }

  #onOutcome(version: number): void {
    const loads = this.#pending;
    this.#pending = [];
    for (const load of loads) {
      if (this.#state.isSettled(load.include, load.since)) this.#settle(load);
      else this.#pending.push(load);
    }
    this.#notify(version);
    if (this.#pending.length > 0) this.#requestAfterTick();
    else this.#schedule();
  }

  /** Notifies the readers if what is shown has changed since `version`. */
  #notify(version: number): void {
    if (this.#state.version !== version) for (const reader of [...this.#readers.keys()]) reader.onChange();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    // What it showed may have ended the last of its streams.
    if (this.isForbidden || this.#readers.size === 0) return;
    const heldUntilMs = this.#environment.heldUntilMs(this.#startedAtMs);
    const intervalMs = this.#environment.intervalMs(this.everyMs, this.#pace);
    const nowMs = performance.now();
    // The polls of a key that waited for its limit do not start together.
    const heldMs = heldUntilMs > nowMs ? heldUntilMs - nowMs + (this.#pace - LEAST_PACE) * intervalMs : 0;
    const callInMs = Math.max(this.#startedAtMs + intervalMs - nowMs, heldMs, 0);
    const staleInMs = Math.max(this.#state.staleAtMs - nowMs, 0);
    const onTimer = staleInMs < callInMs ? () => this.#markStale() : () => this.#onDue();
    this.#timer = setTimeout(onTimer, Math.min(callInMs, staleInMs, MAX_DELAY_MS)).unref();
  }

  #markStale(): void {
    const { version } = this.#state;
    this.#state.markStale();
    this.#notify(version);
    this.#schedule();
  }

  #onDue(): void {
    const waitMs = this.#environment.takeTurn();
    if (waitMs > 0) this.#timer = setTimeout(() => this.#onDue(), waitMs).unref();
    else void this.#request();
  }
}

/** Timers take no more than 24 days. */
const MAX_DELAY_MS = 86_400_000;

const LEAST_PACE = 0.9;
const MOST_PACE = 1.1;

/** In the order of the path. */
function union(wanted: readonly Relation[]): readonly Relation[] {
  return relations.filter((relation) => wanted.includes(relation));
}
