import { Aborter } from '../../abort.ts';
import { SyncPromise } from '../../sync-promise.ts';
import { type Deadline, type KeyHolder, startDeadline, type UpstreamCall } from '../caller.ts';
import { UpstreamBudgetExceeded, UpstreamCancelled } from '../errors.ts';
import {
  type ConversationContext,
  contextTarget,
  type Relation,
  type Site,
  SiteTarget,
} from '../resources.ts';
import { KeyPolls, type KeyPollsOptions } from './key-polls.ts';
import type { Poll, Subscriber, TargetFor } from './poll.ts';
import { MemoryLimit, type StaleRead } from './poll-state.ts';

export interface PollsOptions
  extends Pick<KeyPollsOptions, 'send' | 'shared' | 'staleMs' | 'callsPerMinute'> {
  maxPollsPerKey?: number;
  /** How much memory live queries may keep. */
  maxBytes: number;
}

export type Polls = ReturnType<typeof createPolls>;

/** Sites and conversations that the streams of one key poll. */
const MAX_POLLS_PER_KEY = 100;

/** Regular calls to the REST API, one for each resource of a key, however many read it. */
export function createPolls({ maxPollsPerKey = MAX_POLLS_PER_KEY, maxBytes, ...options }: PollsOptions) {
  const memory = new MemoryLimit(maxBytes);
  const counters = { requests: 0, changes: 0 };
  /** By the digest of the key. */
  const keys = new Map<string, KeyPolls>();

  function createKeyPolls(key: KeyHolder): KeyPolls {
    const { keyHash } = key;
    const polls: KeyPolls = new KeyPolls({
      ...options,
      key,
      memory: memory.ofKey(keyHash),
      counters,
      maxPolls: maxPollsPerKey,
      onEmpty: () => {
        if (keys.get(keyHash) === polls) keys.delete(keyHash);
      },
    });
    keys.set(keyHash, polls);
    return polls;
  }

  return {
    /** What one execution for this key reads with. The caller releases it. */
    open: (key: KeyHolder, readerOptions: ReaderOptions) =>
      new PollReader(() => keys.get(key.keyHash) ?? createKeyPolls(key), readerOptions),
    /** Whatever else live queries keep counts towards the same limit. */
    memory,
    /** The state of the polls at one moment, and what they have done so far. */
    stats: () => ({
      /** The calls that were sent, and how many of them brought other data than before. */
      ...counters,
      polls: [...keys.values()].reduce((sum, { size }) => sum + size, 0),
      keptBytes: memory.used,
      /** How many keys poll less often than their readers want, because of their limits. */
      stretchedKeys: [...keys.values()].filter(({ isStretched }) => isStretched).length,
    }),
  };
}

interface ReaderOptions extends Pick<Subscriber, 'everyMs' | 'counter' | 'isFirst' | 'onChange'> {
  /** What may be read: changes of other fields, like `Client.name`, are not reported. */
  fields: ReadonlySet<string>;
  /** How many resources it may read. */
  maxPolls: number;
  /** For how long its loads may take. */
  timeoutMs: number;
}

/** A poll this execution read: the lowest version it returned, and after which calls its failures count. */
interface Reading {
  poll: Poll;
  version: number;
  since: number;
}

/** What one execution of a live query reads. As long as it is not released, its resources are polled. */
export class PollReader implements Subscriber {
  /** Whether a load returned data. */
  hasData = false;
  readonly everyMs: number;
  readonly counter: Subscriber['counter'];
  readonly isFirst: boolean;
  isReplaced = false;
  readonly onChange: () => void;
  readonly #options: ReaderOptions;
  readonly #polls: () => KeyPolls;
  #keyPolls: KeyPolls | undefined;
  /** By resource. */
  readonly #readings = new Map<string, Reading>();
  /** By path: an execution reads each once. Null when it has ended. */
  #loads: Map<string, SyncPromise<unknown>> | null = new Map();
  readonly #pending = new Set<SyncPromise<unknown>>();
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
    return this.#load(() => contextTarget(id), []) as Promise<ConversationContext | null>;
  }

  /** The latest call of each poll. */
  get calls(): UpstreamCall[] {
    return [...this.#readings.values()].flatMap(({ poll }) => poll.call ?? []);
  }

  get stale(): StaleRead[] {
    return [...this.#readings.values()].flatMap(({ poll }) => poll.staleOf(this));
  }

  /** Whether a poll shows something else than what was read, or there is room for one that was not read. */
  get isOutdated(): boolean {
    const readings = [...this.#readings.values()];
    const hasChanged = readings.some(({ poll, version }) =>
      poll.state.hasChanged(version, this.#options.fields),
    );
    return hasChanged || (this.#keyPolls?.hasRoomFor(this) ?? false);
  }

  /** Whether something can change: false where nothing is polled, or no poll goes on. */
  get isPolling(): boolean {
    if (this.#keyPolls?.isWaiting(this)) return true;
    return [...this.#readings.values()].some(({ poll }) => !poll.state.isForbidden);
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
    this.#rejectPending(new UpstreamCancelled());
    this.#keyPolls?.release(this);
  }

  #load(targetFor: TargetFor, include: readonly Relation[]): Promise<unknown> {
    const { resource, path } = targetFor(include);
    const known = this.#loads?.get(path);
    if (known) return known;
    const load = new SyncPromise<unknown>();
    this.#loads?.set(path, load);
    try {
      // After the release, further polls would never be released.
      if (!this.#loads) throw new UpstreamCancelled();
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
    const since = this.isFirst ? poll.state.attempts : -1;
    const reading = { poll, version: Number.POSITIVE_INFINITY, since };
    this.#readings.set(resource, reading);
    return reading;
  }

  #follow(promise: SyncPromise<unknown>, reading: Reading, include: readonly Relation[]): void {
    const { poll, since } = reading;
    this.#pending.add(promise);
    const onSettled = () => {
      this.#pending.delete(promise);
      reading.version = Math.min(reading.version, poll.state.version);
    };
    promise.whenSettled(() => {
      onSettled();
      this.hasData = true;
    }, onSettled);
    poll.load({ subscriber: this, include, since, promise });
    if (this.#pending.has(promise)) this.#deadline ??= this.#startDeadline();
  }

  #startDeadline(): Deadline {
    const late = new Aborter();
    late.addEventListener('abort', () => this.#rejectPending(late.reason));
    return startDeadline(this.#options.timeoutMs, late);
  }

  #rejectPending(error: Error): void {
    for (const promise of this.#pending) promise.reject(error);
  }
}
