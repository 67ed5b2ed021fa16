import {
  createPolls,
  type KeyPolls,
  PollReader,
  type Polls,
} from '../../../../../src/features/live/polls/polls.ts';
import type { PollRequest, SharedPolls } from '../../../../../src/features/live/polls/shared-polls.ts';
import { createSharedPolls } from '../../../../../src/features/redis/shared-polls.ts';
import { type Layer, UpstreamRequest } from '../../../../../src/upstream/call.ts';
import { decoding } from '../../../../../src/upstream/decoding.ts';
import { admission } from '../../../../../src/upstream/guards/admission.ts';
import { createBreaker } from '../../../../../src/upstream/guards/breaker.ts';
import { deadline } from '../../../../../src/upstream/guards/deadline.ts';
import { FairLimiter } from '../../../../../src/upstream/guards/limiter.ts';
import { createRateLimitGate } from '../../../../../src/upstream/guards/rate-limit.ts';
import { createSingleFlight } from '../../../../../src/upstream/single-flight.ts';
import { keyHolderOf } from '../../../../support/key-holder.ts';
import { responseTo } from '../../../../support/response.ts';
import type { ModelConnection } from './redis-model.ts';
import type { Permission, Upstream } from './upstream.ts';

export const EVERY_MS = 1_000;
/** The deadline of a call, and so of a lease: longer than the interval, so that a take-over is one later. */
export const LEASE_MS = 2_000;
const CONNECTIONS = 100;

/** Whatever a poll shows is read. */
const allFields: ReadonlySet<string> = Object.assign(new Set<string>(), { has: () => true });

/** What a stream showed, and when. */
interface Shown {
  text: string;
  atMs: number;
}

/** The polls of one gateway and the layers below them, as in client.ts and stack.ts, for streams. */
export class SimulatedGateway {
  readonly streams = new Set<SimulatedStream>();
  readonly #connection: ModelConnection;
  readonly #keys = new Map<string, KeyPolls>();
  readonly #shared: ReturnType<typeof createSharedPolls>;
  readonly #polls: Polls;
  #watched = 0;
  readonly #singleFlight = createSingleFlight();
  readonly #limiter = new FairLimiter(CONNECTIONS);
  /** By resource and key: why the next call is made. */
  readonly #permissions = new Map<string, Permission>();

  constructor(connection: ModelConnection, upstream: Upstream) {
    this.#connection = connection;
    this.#shared = createSharedPolls(connection, LEASE_MS);
    void this.#shared.subscribe();
    const breaker = createBreaker({ cancelledAsTimeoutMs: LEASE_MS / 2, maxProbes: CONNECTIONS / 2 });
    const layers: Layer[] = [
      decoding(() => {}),
      this.#singleFlight.layer,
      deadline(LEASE_MS),
      admission({ gate: createRateLimitGate(), breaker, limiter: this.#limiter }),
    ];
    const transport = upstream.transportOf(({ caller, target }) => ({
      permission: this.#permissions.get(caller.keyHash + target.resource) ?? 'alone',
      isDead: () => connection.isDead,
    }));
    const send = layers.reduceRight((next, layer) => layer(next), transport);
    this.#polls = createPolls({
      maxBytes: 1_000_000,
      staleMs: 30_000,
      callsPerMinute: 6_000,
      shared: {
        watch: (...watched) => this.#watch(...watched),
        acquire: (request) => this.#acquire(request),
      },
      send: (caller, target, validator) =>
        responseTo(
          send,
          Object.assign(new UpstreamRequest(caller, target), { noCache: true, noRetry: true, validator }),
        ),
    });
  }

  #watch(...watched: Parameters<SharedPolls['watch']>): () => void {
    const unwatch = this.#shared.watch(...watched);
    this.#watched += 1;
    return () => {
      this.#watched -= 1;
      unwatch();
    };
  }

  async #acquire(request: PollRequest): ReturnType<SharedPolls['acquire']> {
    const acquired = await this.#shared.acquire(request);
    const permission = !acquired ? 'alone' : request.isAwaited ? 'awaited' : 'lease';
    this.#permissions.set(request.key.keyHash + request.resource, permission);
    return acquired;
  }

  open(key: string, id: string): SimulatedStream {
    const polls = this.#keys.get(key) ?? this.#polls.ofKey(keyHolderOf(key));
    this.#keys.set(key, polls);
    const stream = new SimulatedStream(polls, key, id);
    this.streams.add(stream);
    return stream;
  }

  /** What is left of streams that have been closed, by name. */
  left(): Record<string, number> {
    const polls = [...this.#keys.values()].reduce((sum, { size }) => sum + size, 0);
    const { used } = this.#polls.memory;
    return {
      polls,
      used,
      watched: this.#watched,
      inFlight: this.#singleFlight.size,
      active: this.#limiter.active,
    };
  }

  /** Ends in order. */
  close(): void {
    for (const stream of this.streams) stream.close();
    this.#connection.close();
  }

  /** Ends as a process that is killed: its calls and commands never end. */
  kill(): void {
    this.#connection.isDead = true;
    this.close();
  }
}

/** Reads a site, and again whenever its poll shows something else: as the groups of live queries do. */
export class SimulatedStream {
  readonly key: string;
  readonly id: string;
  readonly shown: Shown[] = [];
  /** Nothing more comes: the key may not read the site. */
  isComplete = false;
  isClosed = false;
  readonly #polls: KeyPolls;
  readonly #counter = { polls: 0 };
  #reader: PollReader | null = null;
  #running: PollReader | null = null;

  constructor(polls: KeyPolls, key: string, id: string) {
    this.#polls = polls;
    this.key = key;
    this.id = id;
    this.#execute();
  }

  get isOpen(): boolean {
    return !this.isComplete && !this.isClosed;
  }

  get last(): string | undefined {
    return this.shown.at(-1)?.text;
  }

  close(): void {
    this.isClosed = true;
    const readers = [this.#running, this.#reader];
    this.#running = this.#reader = null;
    for (const reader of readers) reader?.release();
  }

  #execute(): void {
    const reader = new PollReader(this.#polls, {
      everyMs: EVERY_MS,
      counter: this.#counter,
      isFirst: this.shown.length === 0,
      fields: allFields,
      maxPolls: 10,
      timeoutMs: 3 * LEASE_MS,
      onOutdated: () => this.#onOutdated(),
    });
    this.#running = reader;
    const show = (text: string) => {
      if (this.#running === reader) this.#onResult(reader, text);
    };
    reader.site(this.id, []).then(
      (site) => show(site?.city ?? 'null'),
      (error: Error) => show(error.name),
    );
  }

  #onOutdated(): void {
    const reader = this.#reader;
    if (!reader?.isOutdated || reader.isReplaced) return;
    reader.isReplaced = true;
    queueMicrotask(() => {
      if (this.isOpen) this.#execute();
    });
  }

  #onResult(reader: PollReader, text: string): void {
    const before = this.#reader;
    this.#running = null;
    this.#reader = reader;
    reader.end();
    before?.release();
    if (text !== this.last) this.shown.push({ text, atMs: performance.now() });
    if (reader.isOutdated) this.#onOutdated();
    else if (!reader.isPolling) {
      this.close();
      this.isComplete = true;
    }
  }
}
