import { rejectingLoaders } from '../../operation/required-key.ts';
import type { UpstreamCall } from '../../rest/caller.ts';
import { UpstreamBudgetExceeded, UpstreamCancelled } from '../../rest/errors.ts';
import type { ConversationContext, Relation, Site } from '../../rest/resources.ts';
import { contextTarget, SiteTarget } from '../../rest/targets.ts';
import type { Loaders } from '../../schema/loaders.ts';
import type { KeyPolls } from './key-polls.ts';
import type { Poll, Reader, StaleRead, TargetFor } from './poll.ts';

/** How current the data of an event is, as a heartbeat says it. */
export interface Checked {
  /** The time since the REST API returned it, or since the first call for it. */
  ageSeconds: number;
  /** The age in intervals of its poll: from 2 on, polls were missed. */
  intervals: number;
}

interface ReaderOptions extends Reader {
  /** True for a new operation: an earlier failure is not its result, the call is made again. */
  isFirst: boolean;
  maxPolls: number;
}

/** The loaders of one execution of a live query. Its resources are polled until it is released. */
export class PollReader implements Loaders {
  readonly keyPolls: KeyPolls;
  readonly #options: ReaderOptions;
  /** The polls that it reads, by resource, in the version that it has read first; undefined while that is loaded. */
  readonly #reads = new Map<string, { poll: Poll; version: number | undefined }>();
  #isReleased = false;
  /** No live query reads it. */
  readonly health = rejectingLoaders.health;

  constructor(keyPolls: KeyPolls, options: ReaderOptions) {
    this.keyPolls = keyPolls;
    this.#options = options;
  }

  site(id: string, include: readonly Relation[]): Promise<Site | null> {
    return this.#load((relations) => new SiteTarget(id, relations), include) as Promise<Site | null>;
  }

  conversationContext(id: string): Promise<ConversationContext | null> {
    return this.#load(() => contextTarget(id), []) as Promise<ConversationContext | null>;
  }

  /** True if the data of a poll differ from those that were read. */
  get isOutdated(): boolean {
    return [...this.#reads.values()].some(
      ({ poll, version }) => version !== undefined && poll.version !== version,
    );
  }

  /** True while a poll goes on, so that the data can change. */
  get isPolling(): boolean {
    return this.#polls.some(({ isForbidden }) => !isForbidden);
  }

  /** The calls that first returned the data. */
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
      .map((poll) => ({
        ageSeconds: Math.round(poll.ageMs / 1000),
        intervals: Math.floor(poll.ageMs / this.keyPolls.intervalMs(poll)),
      }));
    return all.sort((a, b) => b.intervals - a.intervals)[0] ?? { ageSeconds: 0, intervals: 0 };
  }

  get #polls(): Poll[] {
    return Array.from(this.#reads.values(), ({ poll }) => poll);
  }

  release(): void {
    this.#isReleased = true;
    this.keyPolls.release(this.#options, this.#polls);
  }

  #load(targetFor: TargetFor, include: readonly Relation[]): Promise<unknown> {
    const load = this.#start(targetFor, include);
    // A rejection that nothing awaits must not end the process.
    load.catch(() => {});
    return load;
  }

  async #start(targetFor: TargetFor, include: readonly Relation[]): Promise<unknown> {
    // After the release, further polls would never be released.
    if (this.#isReleased) throw new UpstreamCancelled();
    const read = this.#readOf(targetFor);
    try {
      const acceptsFailure = !this.#options.isFirst || read.version !== undefined;
      return await read.poll.load(this.#options, include, acceptsFailure);
    } finally {
      read.version ??= read.poll.version;
    }
  }

  /** @throws UpstreamError if there are too many polls */
  #readOf(targetFor: TargetFor) {
    const { resource } = targetFor([]);
    const known = this.#reads.get(resource);
    if (known) return known;
    const { maxPolls } = this.#options;
    if (this.#reads.size >= maxPolls) throw new UpstreamBudgetExceeded(maxPolls + 1, maxPolls);
    const read = { poll: this.keyPolls.poll(targetFor), version: undefined };
    this.#reads.set(resource, read);
    return read;
  }
}
