import { type ExecuteLive, eventOfError, type LiveEvent } from './execution.ts';
import type { KeyPolls } from './key-polls.ts';
import type { LiveOperation } from './operation.ts';
import { type Checked, PollReader } from './poll-reader.ts';
import type { LiveStream } from './stream.ts';

interface GroupOptions {
  operation: LiveOperation;
  execute: ExecuteLive;
  polls: KeyPolls;
  /** The number of resources that an execution may read. */
  maxPolls: number;
  /** Called when the group has ended: a later stream needs another one. */
  onEnd(): void;
}

/** The streams of one key with the same operation: they share its executions and its events. */
export class Group {
  readonly #options: GroupOptions;
  readonly #streams = new Set<LiveStream>();
  /** Its reads are those of the latest event. */
  #reader: PollReader | null = null;
  /** The reader of the execution in progress. */
  #running: PollReader | null = null;
  #event: LiveEvent | null = null;
  /** Of the latest event and the operation. */
  #bytes = 0;
  #isQueued = false;
  #isOver = false;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#streams.size;
  }

  get checked(): Checked {
    return this.#reader?.checked ?? { ageSeconds: 0, intervals: 0 };
  }

  /** The stream gets the latest event at once, or the first when there is one. */
  join(stream: LiveStream): void {
    this.#streams.add(stream);
    if (this.#event) this.#send([stream], this.#event);
    else if (!this.#running) void this.#execute();
  }

  /** With the last stream the group ends. */
  leave(stream: LiveStream): void {
    if (this.#streams.delete(stream) && this.#streams.size === 0) this.#end();
  }

  async #execute(): Promise<void> {
    const { operation, execute, polls, maxPolls } = this.#options;
    const reader = new PollReader(polls, {
      everyMs: operation.everyMs,
      maxPolls,
      isFirst: this.#event === null,
      onChange: () => this.#onChange(),
    });
    this.#running = reader;
    const event = await execute(operation, reader);
    if (this.#running !== reader) return;
    const before = this.#reader;
    this.#running = null;
    this.#reader = reader;
    // After the new one has begun: a poll that both read goes on without a break.
    before?.release();
    // Its interval may be the shortest.
    polls.schedule();
    if (!this.#event || !isEqual(event, this.#event)) this.#publish(event);
    // A poll may have got a 403 during the execution: the last event has to show it.
    if (this.#reader?.isOutdated) this.#onChange();
    else if (this.#reader?.isPolling === false) this.#end((one) => one.onComplete());
  }

  /** Executes again if a poll has changed. The reads of a running execution are compared when it ends. */
  #onChange(): void {
    if (this.#running || this.#isQueued || !this.#reader?.isOutdated) return;
    this.#isQueued = true;
    this.#options.polls.enqueue(() => {
      this.#isQueued = false;
      if (!this.#isOver) void this.#execute();
    });
  }

  #publish(event: LiveEvent): void {
    const { polls, operation } = this.#options;
    // A text with one character beyond Latin-1 takes two bytes for each.
    const bytes = operation.bytes + 2 * event.text.length;
    const error = polls.memory.replace(this.#bytes, bytes);
    if (!error) this.#bytes = bytes;
    const rejection = this.#event ? undefined : (event.rejection ?? error);
    if (rejection) {
      this.#end((one) => one.onRejected(rejection));
      return;
    }
    this.#event = error ? eventOfError(error) : event;
    this.#send([...this.#streams], this.#event);
    if (error) this.#end((one) => one.onComplete());
  }

  #send(streams: readonly LiveStream[], event: LiveEvent): void {
    this.#options.polls.counts.events += streams.length;
    for (const stream of streams) stream.onEvent(event);
  }

  /** Calls `notify` for each stream once nothing of the group is left. */
  #end(notify: (stream: LiveStream) => void = () => {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const streams = [...this.#streams];
    this.#streams.clear();
    this.#options.polls.memory.replace(this.#bytes, 0);
    const readers = [this.#running, this.#reader];
    this.#running = this.#reader = null;
    for (const reader of readers) reader?.release();
    this.#options.onEnd();
    for (const stream of streams) notify(stream);
  }
}

function isEqual(one: LiveEvent, other: LiveEvent): boolean {
  return one.text === other.text && JSON.stringify(one.extensions) === JSON.stringify(other.extensions);
}
