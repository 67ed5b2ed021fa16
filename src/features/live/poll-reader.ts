import type { UpstreamCall } from '../../rest/caller.ts';
import { UpstreamBudgetExceeded, UpstreamCancelled } from '../../rest/errors.ts';
import {
  type ConversationContext,
  contextTarget,
  type Relation,
  type Site,
  SiteTarget,
} from '../../rest/resources.ts';
import type { KeyPolls } from './key-polls.ts';
import type { Poll, Reader, ReadOptions, StaleRead, TargetFor } from './poll.ts';

/** How current the data of an event is. */
export interface Checked {
  /** The time since the REST API returned it, or since the first call for it. */
  ageMs: number;
  /** The age in intervals of its poll: from 2 on, polls were missed. */
  intervals: number;
}

interface ReaderOptions extends ReadOptions {
  /** The number of resources that it may read. */
  maxPolls: number;
}

/** Reads for one execution of a live query. Its resources are polled until it is released. */
export class PollReader implements Reader {
  readonly keyPolls: KeyPolls;
  readonly options: ReaderOptions;
  /** True if a load returned data. */
  hasData = false;
  /** The version of each poll that was read first; undefined while its load waits. */
  readonly #versions = new Map<Poll, number | undefined>();
  /** By path: an execution reads each once. */
  readonly #loads = new Map<string, Promise<unknown>>();
  #isOver = false;

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

  /** True if the data of a poll differ from those that were read. */
  get isOutdated(): boolean {
    return [...this.#versions].some(([poll, version]) => version !== undefined && poll.version !== version);
  }

  /** True while a poll goes on, so that the data can change. */
  get isPolling(): boolean {
    return this.#polls.some(({ isForbidden }) => !isForbidden);
  }

  /** The latest call of each poll. */
  get calls(): UpstreamCall[] {
    return this.#polls.flatMap(({ call }) => call ?? []);
  }

  get stale(): StaleRead[] {
    return this.#polls.flatMap(({ stale }) => stale ?? []);
  }

  /** Of the resource that has missed the most polls. */
  get checked(): Checked {
    const all = this.#polls
      .filter(({ isForbidden }) => !isForbidden)
      .map((poll) => ({ ageMs: poll.ageMs, intervals: poll.ageMs / this.keyPolls.intervalMs(poll) }));
    return all.sort((a, b) => b.intervals - a.intervals)[0] ?? { ageMs: 0, intervals: 0 };
  }

  get #polls(): Poll[] {
    return [...this.#versions.keys()];
  }

  onRead(poll: Poll): void {
    this.#versions.set(poll, this.#versions.get(poll) ?? poll.version);
  }

  /** The execution has its result; what it read is polled until `release`. */
  end(): void {
    this.#isOver = true;
    this.#loads.clear();
  }

  release(): void {
    this.end();
    this.keyPolls.release(this, this.#polls);
  }

  #load(targetFor: TargetFor, include: readonly Relation[]): Promise<unknown> {
    const { path } = targetFor(include);
    const load = this.#loads.get(path) ?? this.#start(targetFor, include);
    this.#loads.set(path, load);
    // A rejection that nothing awaits must not end the process.
    load.catch(() => {});
    return load;
  }

  async #start(targetFor: TargetFor, include: readonly Relation[]): Promise<unknown> {
    // After the release, further polls would never be released.
    if (this.#isOver) throw new UpstreamCancelled();
    const { maxPolls } = this.options;
    const { resource: name } = targetFor([]);
    const known = this.#polls.find(({ resource }) => resource === name);
    if (!known && this.#versions.size >= maxPolls) throw new UpstreamBudgetExceeded(maxPolls + 1, maxPolls);
    const poll = known ?? this.keyPolls.poll(targetFor);
    if (!known) this.#versions.set(poll, undefined);
    const resource = await poll.load(this, include);
    this.hasData = true;
    return resource;
  }
}
