import type { GraphQLError } from 'graphql';
import { type ExecuteLive, eventOfError, type LiveEvent } from './execution.ts';
import type { KeyPolls } from './key-polls.ts';
import type { LiveOperation } from './operation.ts';
import { type Checked, PollReader } from './poll-reader.ts';

/** A stream, as its group sees it: `onRejected` alone, or events and at most one `onComplete`. */
export interface StreamSink {
  /** The present state, as a whole; `source` says from then on how current it is. */
  onEvent(event: LiveEvent, source: { readonly checked: Checked }): void;
  /** Nothing more comes: the key may not read any of it. */
  onComplete(): void;
  /** In place of the first event: the response that a query would get. */
  onRejected(error: GraphQLError): void;
}

interface GroupOptions {
  operation: LiveOperation;
  execute: ExecuteLive;
  polls: KeyPolls;
  /** The number of resources that an execution may read. */
  maxPolls: number;
  /** Runs an execution soon. */
  enqueue(run: () => void): void;
  /** Called when an event goes to this number of streams. */
  onSent(streams: number): void;
  /** Called when the group has ended: a later stream needs another one. */
  onEnd(): void;
}

/** The streams of one key with the same operation: they share its executions and its events. */
export class Group {
  readonly #options: GroupOptions;
  readonly #subscribers = new Set<StreamSink>();
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

  /** The number of its streams. */
  get size(): number {
    return this.#subscribers.size;
  }

  /** How current the latest event is. */
  get checked(): Checked {
    return this.#reader?.checked ?? { ageMs: 0, intervals: 0 };
  }

  /** The stream gets the latest event at once, or the first when there is one. */
  join(subscriber: StreamSink): void {
    this.#subscribers.add(subscriber);
    if (this.#event) this.#send([subscriber], this.#event);
    else if (!this.#running) this.#execute();
  }

  /** With the last stream the group ends. */
  leave(subscriber: StreamSink): void {
    if (this.#subscribers.delete(subscriber) && this.#subscribers.size === 0) this.#end();
  }

  #execute(): void {
    const { operation, execute, polls, maxPolls } = this.#options;
    const reader = new PollReader(polls, {
      everyMs: operation.everyMs,
      maxPolls,
      isFirst: this.#event === null,
      onChange: () => this.#onChange(),
    });
    this.#running = reader;
    execute(operation, reader, (event, rejection) => {
      if (this.#running === reader) this.#onResult(reader, event, rejection);
    });
  }

  /** Executes again if a poll has changed. The reads of a running execution are compared when it ends. */
  #onChange(): void {
    if (this.#running || this.#isQueued || !this.#reader?.isOutdated) return;
    this.#isQueued = true;
    this.#options.enqueue(() => {
      this.#isQueued = false;
      if (!this.#isOver) this.#execute();
    });
  }

  #onResult(reader: PollReader, event: LiveEvent, rejection: GraphQLError | undefined) {
    const before = this.#reader;
    this.#running = null;
    this.#reader = reader;
    reader.end();
    // After the new one has begun: a poll that both read goes on without a break.
    before?.release();
    if (rejection && this.#event === null) return this.#end((one) => one.onRejected(rejection));
    if (!this.#event || !isEqual(event, this.#event)) this.#publish(event);
    if (this.#isOver) return;
    // A poll may have got a 403 during the execution: the last event has to show it.
    if (reader.isOutdated) this.#onChange();
    else if (!reader.isPolling) this.#end((one) => one.onComplete());
  }

  #publish(event: LiveEvent) {
    const error = this.#options.polls.memory.replace(sizeOf(this.#event), sizeOf(event));
    if (error && this.#event === null) return this.#end((one) => one.onRejected(error));
    if (error) {
      this.#send([...this.#subscribers], eventOfError(error));
      return this.#end((one) => one.onComplete());
    }
    this.#event = event;
    this.#send([...this.#subscribers], event);
  }

  #send(subscribers: readonly StreamSink[], event: LiveEvent): void {
    this.#options.onSent(subscribers.length);
    for (const subscriber of subscribers) subscriber.onEvent(event, this);
  }

  /** Calls `notify` for each stream once nothing of the group is left. */
  #end(notify: (subscriber: StreamSink) => void = () => {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const subscribers = [...this.#subscribers];
    this.#subscribers.clear();
    this.#options.polls.memory.replace(sizeOf(this.#event), 0);
    const readers = [this.#running, this.#reader];
    this.#running = this.#reader = null;
    for (const reader of readers) reader?.release();
    this.#options.onEnd();
    for (const subscriber of subscribers) notify(subscriber);
  }
}

function isEqual(one: LiveEvent, other: LiveEvent): boolean {
  return one.text === other.text && JSON.stringify(one.extensions) === JSON.stringify(other.extensions);
}

/** In bytes: a text with one character beyond Latin-1 takes two for each. */
function sizeOf(event: LiveEvent | null): number {
  return event === null ? 0 : 2 * event.text.length;
}
