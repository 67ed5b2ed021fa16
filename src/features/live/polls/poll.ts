import { Aborter } from '../../../rest/abort.ts';
import { type UpstreamResponse, type Validator, validatorFrom } from '../../../rest/call.ts';
import type { Caller, KeyHolder, UpstreamCall } from '../../../rest/caller.ts';
import { mayBeCausedByInclude, UpstreamCancelled, UpstreamForbidden } from '../../../rest/errors.ts';
import type { Notices } from '../../../rest/notices.ts';
import { type Relation, relations, type Target } from '../../../rest/resources.ts';
import { SyncPromise } from '../../../rest/sync-promise.ts';
import { type KeyMemory, type PollResponse, PollState, partsOf, type StaleRead } from './poll-state.ts';

/** What a poll is of: the target of a call for these relations. */
export type TargetFor = (include: readonly Relation[]) => Target;

export interface PollOptions {
  readonly key: KeyHolder;
  /** Sends one call, which is neither served from the cache nor retried. */
  readonly send: (caller: Caller, target: Target, validator: Validator | null) => Promise<UpstreamResponse>;
  readonly memory: KeyMemory;
  readonly staleMs: number;
  /** How many calls were sent, and how many of them brought other data than before. */
  readonly counters: { requests: number; changes: number };
}

/** What the polls of one key have in common: when each is called. */
export interface PollScheduler {
  readonly options: PollOptions;
  /** Counts a call that is sent at once: the next ones wait for it. */
  count(): void;
  onNotices(notices: Notices): void;
  /** Called for each poll that succeeded. */
  onSuccess(): void;
  /** Called for each poll that failed: the others of the key may have to wait, or not. */
  onError(error: Error): void;
  /** Plans the next call anew: one has ended, or is due sooner. */
  schedule(): void;
}

/** Reads what polls show, and again after `onChange`. */
export interface Subscriber {
  readonly options: SubscriberOptions;
  /** Whether another one is about to read in its place. */
  readonly isReplaced: boolean;
  /** Whether its loads ended at their deadline: what comes later is something else than what was read. */
  readonly isLate: boolean;
  /** Called when a poll shows something else in these fields than what was read. */
  onChange(fields: ReadonlySet<string>): void;
}

export interface SubscriberOptions {
  readonly everyMs: number;
  /** Counts the polls that have ended; subscribers may share it. */
  readonly counter: { polls: number };
  /** Whether no other has read the same before. */
  readonly isFirst: boolean;
}

/** What a subscriber reads of a poll. */
interface Reading {
  /** The relations that it wants. */
  include: readonly Relation[];
  /** Failures of the first so many calls do not count: a new subscriber has the call made again. */
  readonly since: number;
  /** Whether a load has settled: what changes later is something else than what was read. */
  hasRead: boolean;
  /** Loads that wait for a call. */
  pending: Load[];
}

interface Load {
  include: readonly Relation[];
  promise: SyncPromise<unknown>;
}

/** One resource of one key, called regularly with the union of the relations that its subscribers want. */
export class Poll {
  readonly resource: string;
  readonly state: PollState;
  /** The latest one. */
  call: UpstreamCall | null = null;
  /** When the latest call began, on the clock of `performance.now`. */
  startedAtMs = 0;
  /** From 0 to 1, different for each poll, so that calls spread over time. */
  readonly spread = Math.random();
  readonly #scheduler: PollScheduler;
  readonly #targetFor: TargetFor;
  readonly #readings = new Map<Subscriber, Reading>();
  readonly #signal = new Aborter();
  #phase: 'idle' | 'requested' | 'calling' = 'idle';
  /** The relations that the latest response brought. */
  #include: readonly Relation[] = [];

  constructor(scheduler: PollScheduler, targetFor: TargetFor) {
    const { memory, staleMs } = scheduler.options;
    const { resource, properties = [] } = targetFor([]);
    this.resource = resource;
    this.state = new PollState(memory, staleMs, properties);
    this.#scheduler = scheduler;
    this.#targetFor = targetFor;
  }

  /** Whether it is neither being called nor about to be, and goes on. */
  get isIdle(): boolean {
    return this.#phase === 'idle' && !this.state.isForbidden;
  }

  /** Whether it counts against the limit of the key. */
  get isCounted(): boolean {
    return [...this.#readings.keys()].some(({ isReplaced }) => !isReplaced);
  }

  /** The shortest interval that a subscriber wants. */
  get everyMs(): number {
    return Math.min(...Array.from(this.#readings.keys(), ({ options }) => options.everyMs));
  }

  /** The age of what the subscriber sees. */
  ageMsOf(subscriber: Subscriber): number {
    return this.state.ageMsOf(this.#readings.get(subscriber)?.include ?? []);
  }

  /** What the subscriber sees though it is stale. */
  staleOf(subscriber: Subscriber): StaleRead[] {
    return this.state.staleOf(this.#readings.get(subscriber)?.include ?? []);
  }

  /** Settles with what the poll shows of these relations, or will after its next call. */
  load(subscriber: Subscriber, include: readonly Relation[]): SyncPromise<unknown> {
    const { everyMs, isFirst } = subscriber.options;
    const isSooner = everyMs < this.everyMs;
    const since = isFirst ? this.state.attempts : -1;
    const known = this.#readings.get(subscriber);
    const reading = known ?? { include: [], since, hasRead: false, pending: [] };
    this.#readings.set(subscriber, reading);
    reading.include = union([...reading.include, ...include]);
    const promise = new SyncPromise<unknown>();
    reading.pending.push({ include, promise });
    this.#notify();
    this.#settle(reading);
    if (reading.pending.length > 0) this.#requestAfterTick();
    else if (isSooner) this.#scheduler.schedule();
    return promise;
  }

  /** The subscriber is gone. Returns whether it was the last: the poll ends, and forgets what it keeps. */
  release(subscriber: Subscriber): boolean {
    this.#readings.delete(subscriber);
    if (this.#readings.size > 0) return false;
    this.#signal.abort(() => new UpstreamCancelled());
    this.state.forget();
    return true;
  }

  /** To be called when data may have become stale. */
  markStale(): void {
    this.state.markStale();
    this.#notify();
  }

  /** Calls the REST API now, for an idle poll. Never rejects. */
  async request(): Promise<void> {
    if (this.#readings.size === 0) return;
    this.#phase = 'calling';
    const wanted = union([...this.#readings.values()].flatMap(({ include }) => include));
    await this.#fetch(wanted, wanted).catch((error: Error) => this.#fallBack(error, wanted));
    this.#phase = 'idle';
    const counters = new Set(Array.from(this.#readings.keys(), ({ options }) => options.counter));
    for (const counter of counters) counter.polls += 1;
    if (this.#readings.size === 0) return this.state.forget();
    this.#notify();
    for (const reading of this.#readings.values()) this.#settle(reading);
    if ([...this.#readings.values()].some(({ pending }) => pending.length > 0)) this.#requestAfterTick();
    this.#scheduler.schedule();
  }

  /** Before loads are settled: they are of the data after the changes. */
  #notify(): void {
    const changes = this.state.takeChanges();
    if (changes.size === 0) return;
    for (const [subscriber, { hasRead }] of this.#readings) {
      if (hasRead || subscriber.isLate) subscriber.onChange(changes);
    }
  }

  /** Settles the loads that need not wait for a call. */
  #settle(reading: Reading): void {
    const loads = reading.pending;
    reading.pending = [];
    for (const load of loads) {
      const { include, promise } = load;
      if (this.state.isSettled(include, reading.since)) {
        reading.hasRead = true;
        promise.resolveWith(() => this.state.read(include));
      } else reading.pending.push(load);
    }
  }

  /** After the promise jobs of this tick, which may want more: like the loads of one operation. */
  #requestAfterTick(): void {
    if (this.#phase !== 'idle') return;
    this.#phase = 'requested';
    void Promise.resolve().then(() => process.nextTick(() => void this.request()));
  }

  /**
   * After a call that its relations may have made fail, makes another one: without those that the latest
   * response did not bring, or without all of them.
   */
  async #fallBack(error: Error, wanted: readonly Relation[]): Promise<void> {
    if (!mayBeCausedByInclude(error) || wanted.length === 0) return this.#onError(error, partsOf(wanted));
    const known = wanted.filter((relation) => this.#include.includes(relation));
    const include = known.length < wanted.length ? known : [];
    this.#scheduler.count();
    try {
      await this.#fetch(include, wanted);
    } catch (second) {
      // The next one is without the others too.
      this.#include = [];
      // The first failure is reported, as to a query.
      return this.#onError(second instanceof UpstreamForbidden ? second : error, partsOf(wanted));
    }
    const failed = wanted.filter((relation) => !include.includes(relation));
    this.#onError(error, failed);
  }

  /** One call. */
  async #fetch(include: readonly Relation[], wanted: readonly Relation[]): Promise<void> {
    const target = this.#targetFor(include);
    this.startedAtMs = performance.now();
    const { send } = this.#scheduler.options;
    const response = await send(this.#caller(), target, this.state.validatorOf(target.path));
    this.#scheduler.onSuccess();
    const resource = response.resource as PollResponse['resource'];
    const path = response.sentPath;
    this.#onResponse({ resource, include, wanted, path, validator: validatorFrom(response) });
  }

  #caller(): Caller {
    const { key, counters } = this.#scheduler.options;
    const report = (call: UpstreamCall) => {
      this.call = call;
      if (call.source === 'network') counters.requests += 1;
    };
    const onNotices = (notices: Notices) => this.#scheduler.onNotices(notices);
    return { ...key, signal: this.#signal, report, onNotices };
  }

  #onResponse(response: PollResponse): void {
    this.#include = response.include;
    if (this.state.onResponse(response)) this.#scheduler.options.counters.changes += 1;
  }

  #onError(error: Error, parts: ReturnType<typeof partsOf>): void {
    this.#scheduler.onError(error);
    this.state.onFailure(error, parts);
  }
}

/** In the order of the path. */
function union(wanted: readonly Relation[]): readonly Relation[] {
  return relations.filter((relation) => wanted.includes(relation));
}
