import { Aborter } from '../../abort.ts';
import { SyncPromise } from '../../sync-promise.ts';
import type { UpstreamCall } from '../caller.ts';
import { type Deadline, startDeadline } from '../deadline.ts';
import { UpstreamBudgetExceeded, UpstreamCancelled } from '../errors.ts';
import type { ConversationContext, Relation, Site } from '../resources.ts';
import { ContextTarget, SiteTarget } from '../target.ts';
import type { KeyPolls } from './key-polls.ts';
import type { Poll, PollCounter, Reader } from './poll.ts';
import type { StaleRead, TargetFor } from './poll-state.ts';

export interface ReaderOptions {
  everyMs: number;
  /** What may be read: changes of other fields, like `Client.name`, are not reported. */
  fields: ReadonlySet<string>;
  /** Whether a poll that failed so far is called again at once. */
  isFirst: boolean;
  /** How many resources it may read. */
  maxPolls: number;
  /** For how long its loads may take. */
  timeoutMs: number;
  counter: PollCounter;
  /** Called when a poll that it reads shows something else. */
  onChange(): void;
}

/** A poll that is read, the earliest version that was, and how many calls it had made before. */
interface Reading {
  poll: Poll;
  version: number;
  since: number;
}

/** What one execution of a live query reads. As long as it is not released, its resources are polled. */
export class PollReader implements Reader {
  /** Whether a load returned data. */
  hasData = false;
  readonly everyMs: number;
  readonly counter: PollCounter;
  readonly isFirst: boolean;
  isReplaced = false;
  readonly onChange: () => void;
  readonly #options: ReaderOptions;
  readonly #polls: () => KeyPolls;
  #keyPolls: KeyPolls | undefined;
  /** By resource. */
  readonly #readings = new Map<string, Reading>();
  /** By path: an execution reads each once. Null when it has ended. */
  #loads: Map<string, Promise<unknown>> | null = new Map();
  #pending = new Map<SyncPromise<unknown>, Reading>();
  #deadline: Deadline | null = null;

  /** `polls`: those of the key. */
  constructor(polls: () => KeyPolls, options: ReaderOptions) {
    this.everyMs = options.everyMs;
    this.counter = options.counter;
    this.isFirst = options.isFirst;
    this.onChange = options.onChange;
    this.#options = options;
    this.#polls = polls;
  }

  site(id: string, include: readonly Relation[]): Promise<Site | null> {
    return this.#load((relations) => new SiteTarget(id, relations), include) as Promise<Site | null>;
  }

  conversationContext(id: string): Promise<ConversationContext | null> {
    return this.#load(() => new ContextTarget(id), []) as Promise<ConversationContext | null>;
  }

  /** The latest call of each poll. */
  get calls(): UpstreamCall[] {
    return [...this.#readings.values()].flatMap(({ poll }) => poll.lastCall ?? []);
  }

  get stale(): StaleRead[] {
    return [...this.#readings.values()].flatMap(({ poll }) => poll.staleOf(this));
  }

  /** Whether a poll shows something else than what was read, or there is room for one that was not read. */
  get isOutdated(): boolean {
    const { fields } = this.#options;
    for (const { poll, version } of this.#readings.values())
      if (poll.hasChanged(version, fields)) return true;
    return this.#keyPolls?.hasRoomFor(this) ?? false;
  }

  /** Whether something can change: false where nothing is polled, or no poll goes on. */
  get isPolling(): boolean {
    if (this.#keyPolls?.isWaiting(this)) return true;
    return [...this.#readings.values()].some(({ poll }) => !poll.isForbidden);
  }

  /** The execution has its result; what it read is polled until `release`. */
  end(): void {
    this.#deadline?.clear();
    this.#deadline = null;
    this.#loads = null;
  }

  release(): void {
    this.end();
    for (const { poll } of this.#readings.values()) poll.release(this);
    this.#readings.clear();
    this.#rejectPending(() => new UpstreamCancelled());
    this.#keyPolls?.release(this);
  }

  #load(targetFor: TargetFor, include: readonly Relation[]): Promise<unknown> {
    const { resource, path } = targetFor(include);
    const known = this.#loads?.get(path);
    if (known) return known;
    const load = new SyncPromise<unknown>();
    if (!this.#loads) {
      // After the release, further polls would never be released.
      load.reject(new UpstreamCancelled());
      return load;
    }
    this.#loads.set(path, load);
    try {
      this.#follow(load, this.#readingOf(resource, targetFor), include);
    } catch (error) {
      load.reject(error);
    }
    return load;
  }

  #readingOf(resource: string, targetFor: TargetFor): Reading {
    const known = this.#readings.get(resource);
    if (known) return known;
    const { maxPolls } = this.#options;
    if (this.#readings.size >= maxPolls) throw new UpstreamBudgetExceeded(maxPolls + 1, maxPolls);
    this.#keyPolls = this.#polls();
    const poll = this.#keyPolls.poll(resource, targetFor, this);
    const since = this.isFirst ? poll.attempts : -1;
    const reading = { poll, version: Number.POSITIVE_INFINITY, since };
    this.#readings.set(resource, reading);
    return reading;
  }

  #follow(load: SyncPromise<unknown>, reading: Reading, include: readonly Relation[]): void {
    const { poll, since } = reading;
    this.#pending.set(load, reading);
    const settle = () => {
      this.#pending.delete(load);
      reading.version = Math.min(reading.version, poll.version);
    };
    poll.load({ reader: this, include, since }).whenSettled(
      (value) => {
        settle();
        this.hasData = true;
        load.resolve(value);
      },
      (error) => {
        settle();
        load.reject(error);
      },
    );
    if (this.#pending.has(load) && !this.#deadline) this.#startDeadline();
  }

  #startDeadline(): void {
    const late = new Aborter();
    late.addEventListener('abort', () => this.#rejectPending(() => late.reason));
    this.#deadline = startDeadline(this.#options.timeoutMs, late);
  }

  #rejectPending(createError: () => Error): void {
    const pending = this.#pending;
    this.#pending = new Map();
    for (const [load, reading] of pending) {
      reading.version = Math.min(reading.version, reading.poll.version);
      load.reject(createError());
    }
  }
}
