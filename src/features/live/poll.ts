import { Aborter } from '../../rest/abort.ts';
import type { UpstreamResponse } from '../../rest/call.ts';
import type { Caller, KeyHolder, UpstreamCall } from '../../rest/caller.ts';
import { mayBeCausedByInclude, UpstreamCancelled, UpstreamForbidden } from '../../rest/errors.ts';
import { ownCopy } from '../../rest/json.ts';
import type { Notices } from '../../rest/notices.ts';
import { type Relation, relations, type Target } from '../../rest/resources.ts';
import type { KeyMemory } from './memory.ts';

/** Creates the target of a call for a resource with these relations. */
export type TargetFor = (include: readonly Relation[]) => Target;

export interface PollOptions {
  readonly key: KeyHolder;
  /** Sends one call, which is neither served from the cache nor retried. */
  readonly send: (caller: Caller, target: Target) => Promise<UpstreamResponse>;
  readonly memory: KeyMemory;
  /** The number of calls that were sent. */
  readonly counters: { requests: number };
}

/** Plans the calls of all polls of a key. */
export interface PollScheduler {
  readonly options: PollOptions;
  /** Counts a call that is sent at once: the next ones wait for it. */
  count(): void;
  onNotices(notices: Notices): void;
  /** The other polls of the key may have to wait. */
  onError(error: Error): void;
  /** Plans the next call again, after one has ended or is due sooner. */
  schedule(): void;
}

/** Reads polls, and is called when their data differ from those that it has read. */
export interface Reader {
  readonly options: ReadOptions;
  /** A load gets what the poll shows now. */
  onRead(poll: Poll): void;
}

export interface ReadOptions {
  everyMs: number;
  /** True for a new operation: an earlier failure is not its result, the call is made again. */
  isFirst: boolean;
  /** Called when the data may differ. */
  onChange(): void;
}

type Decoded = Readonly<Record<string, unknown>>;

/** The latest body, and the resource in it, which nothing writes to. */
interface Shown {
  readonly path: string;
  readonly include: readonly Relation[];
  readonly body: Buffer;
  /** Null: it does not exist. */
  readonly resource: Decoded | null;
}

/** The failure of the latest call for these relations. */
interface Failure {
  /** The first one of its kind, so that results stay equal. */
  readonly error: Error;
  readonly wanted: readonly Relation[];
  readonly kind: string;
}

interface Load {
  reader: Reader;
  include: readonly Relation[];
  resolve(resource: Promise<unknown>): void;
}

/** Data that could not be refreshed for too long, as `extensions.stale` lists it. */
export interface StaleRead {
  path: string;
  ageSeconds: number;
}

/** One resource of one key, called regularly with the union of the relations that its readers want. */
export class Poll {
  readonly resource: string;
  /** The latest call. */
  call: UpstreamCall | null = null;
  /** The start of the latest call, on the clock of `performance.now`. */
  startedAtMs = 0;
  /** From 0 to 1, different for each poll, so that calls spread over time. */
  readonly spread = Math.random();
  /** Grows whenever readers may see something else. */
  version = 0;
  stale: StaleRead | null = null;
  readonly #scheduler: PollScheduler;
  readonly #targetFor: TargetFor;
  /** The relations that each reader wants. */
  readonly #readers = new Map<Reader, readonly Relation[]>();
  /** Loads that wait for a call. */
  #pending: Load[] = [];
  readonly #signal = new Aborter();
  #phase: 'idle' | 'requested' | 'calling' = 'idle';
  #shown: Shown | undefined;
  #failure: Failure | undefined;
  #checkedAtMs = performance.now();

  constructor(scheduler: PollScheduler, targetFor: TargetFor) {
    this.resource = targetFor([]).resource;
    this.#scheduler = scheduler;
    this.#targetFor = targetFor;
  }

  /** True between two calls. */
  get isIdle(): boolean {
    return this.#phase === 'idle' && !this.isForbidden;
  }

  /** True after a 401 or 403: it makes no calls unless a new operation wants one. */
  get isForbidden(): boolean {
    return this.#failure?.error instanceof UpstreamForbidden;
  }

  /** The shortest interval that a reader wants. */
  get everyMs(): number {
    return Math.min(...Array.from(this.#readers.keys(), ({ options }) => options.everyMs));
  }

  /** The time since the latest call that succeeded, or since the first one. */
  get ageMs(): number {
    return performance.now() - this.#checkedAtMs;
  }

  /** The time at which data may become stale: Infinity if it is, or if there is none. */
  freshUntilMs(staleMs: number): number {
    return this.#shown && !this.stale ? this.#checkedAtMs + staleMs : Number.POSITIVE_INFINITY;
  }

  /** Settles with the resource with these relations, from the latest call or, if that had none, the next one. */
  load(reader: Reader, include: readonly Relation[]): Promise<unknown> {
    const { everyMs, isFirst } = reader.options;
    const isSooner = everyMs < this.everyMs;
    this.#readers.set(reader, union([...(this.#readers.get(reader) ?? []), ...include]));
    if (this.#isReadable(include, !isFirst)) {
      if (isSooner) this.#scheduler.schedule();
      reader.onRead(this);
      return this.#read(include);
    }
    return new Promise((resolve) => {
      this.#pending.push({ reader, include, resolve });
      this.#requestAfterTick();
    });
  }

  /** The reader is gone, and nothing awaits its loads. Returns true if it was the last one: then the poll has ended. */
  release(reader: Reader): boolean {
    this.#readers.delete(reader);
    this.#pending = this.#pending.filter((load) => load.reader !== reader);
    if (this.#readers.size > 0) return false;
    this.#signal.abort(() => new UpstreamCancelled());
    this.#forget();
    return true;
  }

  /** Reports the data as stale from now on. */
  markStale(): void {
    if (!this.#shown) return;
    this.stale = { path: this.#shown.path, ageSeconds: Math.round(this.ageMs / 1000) };
    this.version += 1;
    this.#notify();
  }

  /** Calls the REST API now, for an idle poll. Never rejects. */
  async request(): Promise<void> {
    if (this.#readers.size === 0) return;
    this.#phase = 'calling';
    const { version } = this;
    const wanted = union([...this.#readers.values()].flat());
    this.#onOutcome(await this.#refresh(wanted), wanted);
    this.#phase = 'idle';
    if (this.#readers.size === 0) return this.#forget();
    this.#settle();
    if (this.version !== version) this.#notify();
    this.#scheduler.schedule();
  }

  #notify(): void {
    for (const reader of this.#readers.keys()) reader.options.onChange();
  }

  #settle(): void {
    const loads = this.#pending;
    this.#pending = loads.filter(({ include }) => !this.#isReadable(include, true));
    for (const load of loads) {
      if (this.#pending.includes(load)) continue;
      load.reader.onRead(this);
      load.resolve(this.#read(load.include));
    }
    if (this.#pending.length > 0) this.#requestAfterTick();
  }

  /** After the promise jobs of this tick, which may want more: like the loads of one operation. */
  #requestAfterTick(): void {
    if (this.#phase !== 'idle') return;
    this.#phase = 'requested';
    void Promise.resolve().then(() => process.nextTick(() => void this.request()));
  }

  /**
   * Returns why the call failed. If the relations may be the cause, and there is nothing current to show, another
   * call is made: without the relations that the latest body does not have, or without all of them.
   */
  async #refresh(wanted: readonly Relation[]): Promise<Error | undefined> {
    const error = await this.#fetch(wanted);
    if (!error || wanted.length === 0 || !mayBeCausedByInclude(error)) return error;
    const known = wanted.filter((relation) => this.#shows(relation));
    if (known.length === wanted.length && !this.stale) return error;
    this.#scheduler.count();
    const second = await this.#fetch(this.stale ? [] : known);
    // The first failure is reported, as to a query.
    return second instanceof UpstreamForbidden ? second : error;
  }

  /** Makes one call, and keeps its body. Returns why that failed. */
  async #fetch(include: readonly Relation[]): Promise<Error | undefined> {
    const { send } = this.#scheduler.options;
    const target = this.#targetFor(include);
    this.startedAtMs = performance.now();
    try {
      const { body, resource } = await send(this.#caller(), target);
      return this.#keep({ path: target.path, include, body, resource: resource as Decoded | null });
    } catch (error) {
      this.#scheduler.onError(error as Error);
      return error as Error;
    }
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

  /** Equal bytes are no change. Returns an error if there is no memory for them. */
  #keep(next: Shown): Error | undefined {
    const { memory } = this.#scheduler.options;
    const before = this.#shown;
    if (!isEqual(before, next)) {
      const error = memory.replace(before?.body.length ?? 0, next.body.length);
      if (error) return error;
      this.#shown = { ...next, body: ownCopy(next.body) };
      this.version += 1;
    }
    if (this.stale) this.version += 1;
    this.stale = null;
    this.#checkedAtMs = performance.now();
    return undefined;
  }

  #onOutcome(error: Error | undefined, wanted: readonly Relation[]): void {
    const isForbidden = error instanceof UpstreamForbidden;
    if (isForbidden) this.#forget();
    const failed = isForbidden ? relations : wanted;
    const kind = error && `${error.name} ${failed}`;
    if (kind === this.#failure?.kind) return;
    this.version += 1;
    this.#failure = error && { error, wanted: failed, kind: kind ?? '' };
  }

  #forget(): void {
    this.#scheduler.options.memory.replace(this.#shown?.body.length ?? 0, 0);
    this.#shown = undefined;
    this.stale = null;
    this.#checkedAtMs = performance.now();
  }

  #shows(relation: Relation): boolean {
    return this.#shown?.resource === null || this.#shown?.include.includes(relation) === true;
  }

  /** True if a load of these relations needs no call: they are shown, or `acceptsFailure` and they have failed. */
  #isReadable(include: readonly Relation[], acceptsFailure: boolean): boolean {
    if (this.#shown && include.every((relation) => this.#shows(relation))) return true;
    const { wanted } = this.#failure ?? {};
    if (!acceptsFailure || !wanted) return false;
    return include.every((relation) => wanted.includes(relation) || this.#shows(relation));
  }

  /** The resource; a relation that could not be loaded is the error. Rejects with the failure of the call. */
  async #read(include: readonly Relation[]): Promise<Decoded | null> {
    const { resource } = this.#shown ?? {};
    const error = this.#failure?.error;
    if (resource === undefined) throw error;
    const missing = include.filter((relation) => !this.#shows(relation));
    if (resource === null || missing.length === 0) return resource;
    return { ...resource, ...Object.fromEntries(missing.map((relation) => [relation, error])) };
  }
}

function isEqual(before: Shown | undefined, { path, body, resource }: Shown): boolean {
  const isSame = before?.path === path && (before.resource === null) === (resource === null);
  return isSame && before.body.equals(body);
}

/** In the order of the path. */
function union(wanted: readonly Relation[]): readonly Relation[] {
  return relations.filter((relation) => wanted.includes(relation));
}
