import { Aborter } from '../../rest/abort.ts';
import { UpstreamRequest, type UpstreamResponse } from '../../rest/call.ts';
import { type ApiKey, apiKeyOf, type Caller, type UpstreamCall } from '../../rest/caller.ts';
import { mayBeCausedByInclude, UpstreamCancelled, UpstreamForbidden } from '../../rest/errors.ts';
import { ownCopy } from '../../rest/json.ts';
import type { Notices } from '../../rest/notices.ts';
import { type Relation, relations } from '../../rest/resources.ts';
import type { Target } from '../../rest/targets.ts';
import type { KeyMemory, LiveCounts } from './memory.ts';

export type TargetFor = (include: readonly Relation[]) => Target;

/** Plans the calls of all polls of a key. */
export interface PollScheduler {
  readonly key: ApiKey;
  readonly memory: KeyMemory;
  readonly counts: LiveCounts;
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
  /** Counts a call that is sent at once: the next ones wait for it. */
  count(): void;
  onNotices(notices: Notices): void;
  /** The other polls of the key may have to wait. */
  onError(error: Error): void;
  /** Plans the next call again, after one has ended or is due sooner. */
  schedule(): void;
}

/** Reads polls for one execution. */
export interface Reader {
  readonly everyMs: number;
  /** Called when the data may differ from those that were read. */
  onChange(): void;
}

type ReadonlyResource = Readonly<Record<string, unknown>>;

/** The latest body, and the resource in it, which nothing writes to. */
interface Shown {
  readonly path: string;
  readonly include: readonly Relation[];
  readonly body: Buffer;
  /** Null: it does not exist. */
  readonly resource: ReadonlyResource | null;
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
  resolve(outcome: Promise<unknown>): void;
}

/** Data that could not be refreshed for too long, as `extensions.stale` lists it. */
export interface StaleRead {
  path: string;
  ageSeconds: number;
}

/** One resource of one key, called regularly with the union of the relations that its readers want. */
export class Poll {
  readonly resource: string;
  /** The call that first returned the data, or the latest one without data. */
  call: UpstreamCall | null = null;
  /** The start of the latest call, on the clock of `performance.now`. */
  startedAtMs = 0;
  /** Calls are made up to a tenth sooner or later than readers want, so that they spread over time. */
  readonly jitter = 0.9 + 0.2 * Math.random();
  /** Grows whenever readers may see something else. */
  version = 0;
  stale: StaleRead | null = null;
  readonly #scheduler: PollScheduler;
  /** Without the key, which is found at each call: its object may have been forgotten since. */
  readonly #caller: Omit<Caller, 'key'>;
  readonly #targetFor: TargetFor;
  /** The relations that each reader wants. */
  readonly #readers = new Map<Reader, readonly Relation[]>();
  #pending: Load[] = [];
  /** Aborts when the last reader is gone. */
  readonly #signal = new Aborter();
  /** True from the decision to call until the outcome. */
  #isCalling = false;
  #shown: Shown | undefined;
  #failure: Failure | undefined;
  #checkedAtMs = performance.now();

  constructor(scheduler: PollScheduler, targetFor: TargetFor) {
    this.resource = targetFor([]).resource;
    this.#scheduler = scheduler;
    this.#targetFor = targetFor;
    this.#caller = {
      signal: this.#signal,
      report: (call) => {
        if (!this.#shown) this.call = call;
        if (call.source === 'network') scheduler.counts.calls += 1;
      },
      onNotices: (notices) => scheduler.onNotices(notices),
    };
  }

  /** True between two calls, unless it makes none any more. */
  get isIdle(): boolean {
    return !this.#isCalling && !this.isForbidden;
  }

  /** True after a 401 or 403: it makes no calls unless a new operation wants one. */
  get isForbidden(): boolean {
    return this.#failure?.error instanceof UpstreamForbidden;
  }

  /** The shortest interval that a reader wants. */
  get everyMs(): number {
    return Math.min(...Array.from(this.#readers.keys(), ({ everyMs }) => everyMs));
  }

  /** The time since the latest call that succeeded, or since the first one. */
  get ageMs(): number {
    return performance.now() - this.#checkedAtMs;
  }

  /** The time at which data may become stale: Infinity if it is, or if there is none. */
  freshUntilMs(staleMs: number): number {
    return this.#shown && !this.stale ? this.#checkedAtMs + staleMs : Number.POSITIVE_INFINITY;
  }

  /** Settles with the resource, or an accepted failure, of the latest call, or else of the next one. */
  load(reader: Reader, include: readonly Relation[], acceptsFailure: boolean): Promise<unknown> {
    this.#readers.set(reader, union([...(this.#readers.get(reader) ?? []), ...include]));
    const outcome = this.#read(include, acceptsFailure);
    if (outcome) return outcome;
    return new Promise((resolve) => {
      this.#pending.push({ reader, include, resolve });
      this.#callAfterTick();
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

  markStale(): void {
    if (!this.#shown) return;
    this.stale = { path: this.#shown.path, ageSeconds: Math.round(this.ageMs / 1000) };
    this.version += 1;
    this.#notify();
  }

  /** Calls the REST API now. Never rejects. */
  async request(): Promise<void> {
    if (this.#signal.aborted) return;
    this.#isCalling = true;
    const { version } = this;
    const wanted = union([...this.#readers.values()].flat());
    const error = await this.#refresh(wanted);
    this.#isCalling = false;
    if (this.#signal.aborted) return;
    this.#onOutcome(error, wanted);
    this.#settle();
    if (this.version !== version) this.#notify();
    this.#scheduler.schedule();
  }

  #notify(): void {
    for (const reader of this.#readers.keys()) reader.onChange();
  }

  #settle(): void {
    const loads = this.#pending;
    this.#pending = [];
    for (const load of loads) {
      const outcome = this.#read(load.include, true);
      if (outcome) load.resolve(outcome);
      else this.#pending.push(load);
    }
    if (this.#pending.length > 0) this.#callAfterTick();
  }

  /** After the promise jobs of this tick, which may want more: like the loads of one operation. */
  #callAfterTick(): void {
    if (this.#isCalling) return;
    this.#isCalling = true;
    void Promise.resolve().then(() => process.nextTick(() => void this.request()));
  }

  /** Returns why the call failed. If relations may be the cause, it is made again with those of the latest body, or none. */
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

  /** Makes one call, neither served from the cache nor retried, and keeps its body. Returns why that failed. */
  async #fetch(include: readonly Relation[]): Promise<Error | undefined> {
    const target = this.#targetFor(include);
    const request = new UpstreamRequest({ ...this.#caller, key: apiKeyOf(this.#scheduler.key.text) }, target);
    request.isPoll = true;
    this.startedAtMs = performance.now();
    try {
      const { body, resource } = await this.#scheduler.send(request);
      return this.#keep({ path: target.path, include, body, resource: resource as ReadonlyResource | null });
    } catch (error) {
      this.#scheduler.onError(error as Error);
      return error as Error;
    }
  }

  /** Equal bytes are no change. Returns an error if there is no memory for them, or no reader any more. */
  #keep(next: Shown): Error | undefined {
    const before = this.#shown;
    if (this.#signal.aborted) return this.#signal.reason;
    if (before?.path !== next.path || !before.body.equals(next.body)) {
      const error = this.#scheduler.memory.replace(before?.body.length ?? 0, next.body.length);
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
    this.#scheduler.memory.replace(this.#shown?.body.length ?? 0, 0);
    this.#shown = undefined;
    this.stale = null;
    this.#checkedAtMs = performance.now();
  }

  #shows(relation: Relation): boolean {
    return this.#shown?.resource === null || this.#shown?.include.includes(relation) === true;
  }

  /** Settles with the resource, in which a failed relation is its error. Undefined if a call is needed. */
  #read(include: readonly Relation[], acceptsFailure: boolean): Promise<ReadonlyResource | null> | undefined {
    const { resource } = this.#shown ?? {};
    const missing = include.filter((relation) => !this.#shows(relation));
    if (resource !== undefined && missing.length === 0) return Promise.resolve(resource);
    const { error, wanted = [] } = (acceptsFailure && this.#failure) || {};
    if (!error || !missing.every((relation) => wanted.includes(relation))) return undefined;
    if (!resource) return Promise.reject(error);
    return Promise.resolve({
      ...resource,
      ...Object.fromEntries(missing.map((relation) => [relation, error])),
    });
  }
}

function union(wanted: readonly Relation[]): readonly Relation[] {
  return relations.filter((relation) => wanted.includes(relation));
}
