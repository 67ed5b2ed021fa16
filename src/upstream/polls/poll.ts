import { Aborter } from '../../abort.ts';
import type { SyncPromise } from '../../sync-promise.ts';
import { type Cache, ownCopy } from '../cache.ts';
import { decoded, type UpstreamResponse, type Validator } from '../call.ts';
import type { Caller, KeyHolder, UpstreamCall } from '../caller.ts';
import { mayBeCausedByInclude, UpstreamCancelled, UpstreamForbidden } from '../errors.ts';
import { type Relation, relations, type Target } from '../resources.ts';
import { type KeyMemory, type PollResponse, PollState, partsOf, type StaleRead } from './poll-state.ts';

/** What a poll is of: the target of a call for these relations. */
export type TargetFor = (include: readonly Relation[]) => Target;

export interface PollOptions {
  readonly key: KeyHolder;
  /** Sends one call, which is neither served from the cache nor retried. */
  readonly send: (caller: Caller, target: Target, validator: Validator | null) => Promise<UpstreamResponse>;
  /** The latest responses to the polls of all gateways. */
  readonly shared: Cache | null;
  readonly memory: KeyMemory;
  readonly staleMs: number;
  /** How many calls were sent, and how many of them brought other data than before. */
  readonly counters: { requests: number; changes: number };
}

/** What the polls of one key have in common. */
export interface PollEnvironment {
  readonly options: PollOptions;
  /** The time between the calls that subscribers want every so often; `jitter` is the poll's own factor. */
  intervalMs(everyMs: number, jitter: number): number;
  /** Admits a call of the polls of the key: 0, or the milliseconds to wait before the next attempt. */
  acquire(): number;
  /** Counts a call that did not wait to be admitted: the next ones wait for it. */
  count(): void;
  /** Until when, on the clock of `performance.now`, a poll waits whose latest call began at `startedAtMs`. */
  pausedUntilMs(startedAtMs: number): number;
  /** Called for each call that failed: the other polls of the key may have to wait, or not. */
  onError(error: Error): void;
  onHeaders(headers: UpstreamResponse['headers']): void;
  /** Called when the poll has no subscriber any more. */
  onEmpty(poll: Poll): void;
}

/** Reads what the poll shows, and again after `onChange`. */
export interface Subscriber {
  readonly everyMs: number;
  /** Counts the polls that have ended; subscribers may share it. */
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

/** What a subscriber wants to load. */
interface Load {
  subscriber: Subscriber;
  include: readonly Relation[];
  /** Failures of the first so many calls do not count: a new subscriber has the call made again. */
  since: number;
  promise: SyncPromise<unknown>;
}

/** How long a response is shared: longer than any interval. */
export const POLL_TTL = { freshMs: 7_200_000, staleMs: 0 };
/** Timers take no more than 24 days. */
const MAX_DELAY_MS = 86_400_000;
const MIN_JITTER = 0.9;
const MAX_JITTER = 1.1;

/** Regular calls for one resource of one key, with the union of the relations that its subscribers want. */
export class Poll {
  readonly resource: string;
  readonly state: PollState;
  /** The latest one. */
  call: UpstreamCall | null = null;
  readonly #environment: PollEnvironment;
  readonly #targetFor: TargetFor;
  /** Each with the relations that it wants. */
  readonly #subscribers = new Map<Subscriber, readonly Relation[]>();
  /** Loads that wait for a call. */
  #pending: Load[] = [];
  readonly #signal = new Aborter();
  #isCalling = false;
  #isRequested = false;
  #startedAtMs = 0;
  /** The relations that the latest response brought. */
  #include: readonly Relation[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Different for each poll, so that calls spread over the interval. */
  readonly #jitter = MIN_JITTER + Math.random() * (MAX_JITTER - MIN_JITTER);

  constructor(environment: PollEnvironment, targetFor: TargetFor) {
    const { memory, staleMs } = environment.options;
    const { resource, properties = [] } = targetFor([]);
    this.resource = resource;
    this.state = new PollState(memory, staleMs, properties);
    this.#environment = environment;
    this.#targetFor = targetFor;
  }

  /** What the subscriber sees though it is stale. */
  staleOf(subscriber: Subscriber): StaleRead[] {
    return this.state.staleOf(this.#subscribers.get(subscriber) ?? []);
  }

  /** Whether it counts against the limit of the key. */
  get isCounted(): boolean {
    return [...this.#subscribers.keys()].some(({ isReplaced }) => !isReplaced);
  }

  /** The shortest interval that a subscriber wants. */
  get everyMs(): number {
    return Math.min(...Array.from(this.#subscribers.keys(), ({ everyMs }) => everyMs));
  }

  /** Settles with what the poll shows of these relations, or will after its next call. */
  load(load: Load): void {
    const { subscriber, include } = load;
    const isSooner = subscriber.everyMs < this.everyMs;
    this.#subscribers.set(subscriber, union([...(this.#subscribers.get(subscriber) ?? []), ...include]));
    if (this.#settle(load)) {
      if (isSooner) this.reschedule();
    } else {
      this.#pending.push(load);
      this.#requestAfterTick();
    }
  }

  /** The subscriber is gone; with the last one the poll ends, and forgets what it keeps. */
  release(subscriber: Subscriber): void {
    this.#pending = this.#pending.filter((load) => load.subscriber !== subscriber);
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    clearTimeout(this.#timer);
    this.#signal.abort(() => new UpstreamCancelled());
    this.state.forget();
    this.#environment.onEmpty(this);
  }

  /** Plans the next call anew, after the interval has changed. */
  reschedule(): void {
    if (!this.#isCalling && !this.#isRequested) this.#schedule();
  }

  /** The polls of the key wait because of the failure of one. */
  onPause(error: Error): void {
    this.state.onPause(error);
    this.reschedule();
  }

  /** False where the load has to wait for a call. */
  #settle({ include, since, promise }: Load): boolean {
    if (!this.state.isSettled(include, since)) return false;
    promise.resolveWith(() => this.state.read(include));
    return true;
  }

  /** After the promise jobs of this tick, which may want more: like the loads of one operation. */
  #requestAfterTick(): void {
    this.#isRequested = true;
    clearTimeout(this.#timer);
    void Promise.resolve().then(() => process.nextTick(() => void this.#request()));
  }

  async #request(): Promise<void> {
    this.#isRequested = false;
    if (this.#subscribers.size === 0 || this.#isCalling) return;
    this.#isCalling = true;
    const startedAtMs = performance.now();
    const { version } = this.state;
    const wanted = union([...this.#subscribers.values()].flat());
    const ageMs = await this.#fetchOrFallBack(wanted, this.#intervalMs);
    this.#startedAtMs = startedAtMs - ageMs;
    this.#isCalling = false;
    const counters = new Set(Array.from(this.#subscribers.keys(), ({ counter }) => counter));
    for (const counter of counters) counter.polls += 1;
    if (this.#subscribers.size === 0) return this.state.forget();
    this.#onOutcome(version);
  }

  #onOutcome(version: number): void {
    const loads = this.#pending;
    this.#pending = [];
    for (const load of loads) if (!this.#settle(load)) this.#pending.push(load);
    this.#notify(version);
    if (this.#pending.length > 0) this.#requestAfterTick();
    else this.#schedule();
  }

  /**
   * One call. Where its relations may have made it fail, another one: without those that the latest response
   * did not bring, or without all of them. What another gateway polled less than `intervalMs` ago is taken in
   * place of a call: returns its age.
   */
  async #fetchOrFallBack(wanted: readonly Relation[], intervalMs: number): Promise<number> {
    try {
      return await this.#fetch(wanted, wanted, intervalMs);
    } catch (error) {
      await this.#fallBack(error as Error, wanted, intervalMs);
      return 0;
    }
  }

  async #fallBack(error: Error, wanted: readonly Relation[], intervalMs: number): Promise<void> {
    if (!mayBeCausedByInclude(error) || wanted.length === 0) return this.#onError(error, partsOf(wanted));
    const known = wanted.filter((relation) => this.#include.includes(relation));
    const include = known.length < wanted.length ? known : [];
    this.#environment.count();
    try {
      await this.#fetch(include, wanted, intervalMs);
    } catch (second) {
      // The next one is without the others too.
      this.#include = [];
      // The first failure is reported, as to a query.
      return this.#onError(second instanceof UpstreamForbidden ? second : error, partsOf(wanted));
    }
    const failed = wanted.filter((relation) => !include.includes(relation));
    this.#onError(error, failed);
  }

  async #fetch(
    include: readonly Relation[],
    wanted: readonly Relation[],
    intervalMs: number,
  ): Promise<number> {
    const { shared, send } = this.#environment.options;
    const target = this.#targetFor(include);
    const caller = this.#caller();
    const entry = await shared?.get(caller, target.paths());
    // Another machine's clock may be ahead: by more than an interval, its entries are not taken.
    const ageMs = entry ? Math.abs(Date.now() - entry.storedAtMs) : 0;
    if (entry && ageMs < intervalMs) {
      const { path } = target;
      this.call = { method: 'GET', path, status: 200, durationMs: 0, source: 'cache' };
      const resource = decoded(target, entry.body) as PollResponse['resource'];
      this.#onResponse({ resource, include, wanted, path, validator: null });
      return ageMs;
    }
    const response = await send(caller, target, this.state.validatorOf(target.path));
    const { status, body, headers, sentPath } = response;
    this.#environment.onHeaders(headers);
    const resource = response.resource as PollResponse['resource'];
    this.#onResponse({ resource, include, wanted, path: sentPath, validator: validatorFrom(response) });
    if (status === 404) shared?.delete(caller, target.allPaths());
    else shared?.set(caller, sentPath, { body, storedAtMs: Date.now(), ttl: POLL_TTL });
    return 0;
  }

  #caller(): Caller {
    const { key, counters } = this.#environment.options;
    const report = (call: UpstreamCall) => {
      this.call = call;
      if (call.source === 'network') counters.requests += 1;
    };
    return { ...key, signal: this.#signal, report };
  }

  #onResponse(response: PollResponse): void {
    this.#include = response.include;
    if (this.state.onResponse(response)) this.#environment.options.counters.changes += 1;
  }

  #onError(error: Error, parts: ReturnType<typeof partsOf>): void {
    this.#environment.onError(error);
    if (error instanceof UpstreamForbidden) {
      this.state.onForbidden();
      this.#environment.options.shared?.delete(this.#caller(), this.#targetFor([]).allPaths());
    } else this.state.onFailure(error, parts);
  }

  /** Notifies the subscribers if what is shown has changed since `version`. */
  #notify(version: number): void {
    if (this.state.version === version) return;
    for (const subscriber of [...this.#subscribers.keys()]) subscriber.onChange();
  }

  get #intervalMs(): number {
    return this.#environment.intervalMs(this.everyMs, this.#jitter);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    // What it showed may have ended the last of its streams.
    if (this.state.isForbidden || this.#subscribers.size === 0) return;
    const pausedUntilMs = this.#environment.pausedUntilMs(this.#startedAtMs);
    const intervalMs = this.#intervalMs;
    const nowMs = performance.now();
    // The polls of a key that waited for its limit do not start together.
    const spreadMs = (this.#jitter - MIN_JITTER) * intervalMs;
    const pausedMs = pausedUntilMs > nowMs ? pausedUntilMs - nowMs + spreadMs : 0;
    const callInMs = Math.max(this.#startedAtMs + intervalMs - nowMs, pausedMs, 0);
    const staleInMs = Math.max(this.state.staleAtMs - nowMs, 0);
    const onTimer = staleInMs < callInMs ? () => this.#markStale() : () => this.#onDue();
    this.#timer = setTimeout(onTimer, Math.min(callInMs, staleInMs, MAX_DELAY_MS)).unref();
  }

  #markStale(): void {
    const { version } = this.state;
    this.state.markStale();
    this.#notify(version);
    this.#schedule();
  }

  #onDue(): void {
    const waitMs = this.#environment.acquire();
    if (waitMs > 0) this.#timer = setTimeout(() => this.#onDue(), waitMs).unref();
    else void this.#request();
  }
}

/** In the order of the path. */
function union(wanted: readonly Relation[]): readonly Relation[] {
  return relations.filter((relation) => wanted.includes(relation));
}

/** A weak tag serves as well: the bodies that it stands for are equal in what they mean. */
function validatorFrom({ status, body, headers: { etag } }: UpstreamResponse): Validator | null {
  const isTag = typeof etag === 'string' && /^(W\/)?"[\x21\x23-\x7e]{0,256}"$/.test(etag);
  return isTag && status !== 404 ? { etag, body: ownCopy(body) } : null;
}
