import type { GraphQLError } from 'graphql';
import { overloaded, tooManyLiveBytes } from '../../errors.ts';
import type { PollCounter } from '../../upstream/polls/poll.ts';
import type { KeyMemory } from '../../upstream/polls/poll-state.ts';
import type { PollReader } from '../../upstream/polls/polls.ts';
import { type ExecuteLive, eventOfError, type LiveEvent, type LiveResult } from './execution.ts';
import type { LiveOperation } from './operation.ts';

/** A stream, as its group sees it: `onRejected` alone, or events and at most one `onComplete`. */
export interface Subscriber {
  /** The present state, as a whole. */
  onEvent(event: LiveEvent): void;
  /** Nothing more comes: the key may not read any of it. */
  onComplete(): void;
  /** In place of the first event: the response that a query would get. */
  onRejected(error: GraphQLError): void;
}

interface GroupOptions {
  operation: LiveOperation;
  execute: ExecuteLive;
  /** A reader of the key's polls. */
  open(isFirst: boolean, counter: PollCounter, onChange: () => void): PollReader;
  /** Runs an execution soon, which returns whether it is done. */
  enqueue(run: () => boolean): void;
  memory: KeyMemory;
  /** Called when an event goes to so many streams. */
  onSent(streams: number): void;
  /** Called when the group has ended: a later stream needs another one. */
  onEnd(): void;
}

/** The streams of one key with the same operation: they share its executions and its events. */
export class Group {
  /** The polls of its resources so far. */
  readonly counter: PollCounter = { polls: 0 };
  readonly #options: GroupOptions;
  readonly #subscribers = new Set<Subscriber>();
  /** Its reads are those of the latest event. */
  #reader: PollReader | null = null;
  /** The reader of the execution in progress. */
  #running: PollReader | null = null;
  #event: LiveEvent | null = null;
  #isQueued = false;
  #isOver = false;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  /** The stream gets the latest event at once, or the first when there is one. */
  join(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    if (this.#event) this.#send([subscriber], this.#event);
    else if (!this.#running) this.#execute();
  }

  /** With the last stream the group ends. */
  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size === 0) this.#end();
  }

  #execute(): void {
    const reader = this.#options.open(this.#event === null, this.counter, () => this.#onChange());
    this.#running = reader;
    const hadErrors = this.#event !== null && this.#event.codes.length > 0;
    this.#options.execute(this.#options.operation, reader, hadErrors, (result) => {
      if (this.#running === reader) this.#onResult(reader, result);
    });
  }

  /** A poll changed after the latest event. A running execution is compared when it ends. */
  #onChange(): void {
    if (this.#isQueued || this.#running || !this.#reader?.isOutdated) return;
    this.#isQueued = this.#reader.isReplaced = true;
    this.#options.enqueue(() => {
      this.#isQueued = false;
      if (!this.#isOver) this.#execute();
      return this.#running === null;
    });
  }

  #onResult(reader: PollReader, { event, rejection }: LiveResult) {
    const before = this.#reader;
    this.#running = null;
    this.#reader = reader;
    reader.end();
    // After the new one has begun: a poll that both read goes on without a break.
    before?.release();
    if (rejection && this.#event === null) return this.#reject(rejection);
    if (event.text !== this.#event?.text) this.#publish(event);
    if (this.#isOver) return;
    // A poll may have got a 403 during the execution: the last event has to show it.
    if (reader.isOutdated) this.#onChange();
    else if (!reader.isPolling) this.#complete();
  }

  #publish(event: LiveEvent) {
    try {
      keep(this.#options.memory, sizeOf(this.#event), sizeOf(event));
    } catch (error) {
      if (this.#event === null) return this.#reject(error as GraphQLError);
      this.#send([...this.#subscribers], eventOfError(error as GraphQLError));
      return this.#complete();
    }
    this.#event = event;
    this.#send([...this.#subscribers], event);
  }

  #send(subscribers: readonly Subscriber[], event: LiveEvent): void {
    this.#options.onSent(subscribers.length);
    for (const subscriber of subscribers) subscriber.onEvent(event);
  }

  #reject(error: GraphQLError): void {
    const subscribers = [...this.#subscribers];
    this.#end();
    for (const subscriber of subscribers) subscriber.onRejected(error);
  }

  #complete(): void {
    const subscribers = [...this.#subscribers];
    this.#end();
    for (const subscriber of subscribers) subscriber.onComplete();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#subscribers.clear();
    this.#options.memory.replace(sizeOf(this.#event), 0);
    const readers = [this.#running, this.#reader];
    this.#running = this.#reader = null;
    for (const reader of readers) reader?.release();
    this.#options.onEnd();
  }
}

/** In bytes: a text with one character beyond Latin-1 takes two for each. */
function sizeOf(event: LiveEvent | null): number {
  return event === null ? 0 : 2 * event.text.length;
}

/** Replaces `before` bytes by `after`. @throws a GraphQLError where the key or the gateway keeps too much */
export function keep(memory: KeyMemory, before: number, after: number): void {
  if (memory.replace(before, after)) return;
  throw memory.isFullFor(after - before) ? tooManyLiveBytes(memory.limit) : overloaded();
}
