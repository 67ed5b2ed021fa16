import { write, writeSync } from 'node:fs';

/** Lines wait for this time, or until there are enough for a write. */
const FLUSH_EVERY_MS = 100;
const WRITE_CHARACTERS = 65_536;
/** Characters that wait at most, so that a reader that has stopped costs a bounded amount of memory. */
const MAX_WAITING = 16_777_216;
/** Time until the next attempt where a pipe is full, and after an error. */
const FULL_RETRY_MS = 10;
const ERROR_RETRY_MS = 100;
/** Time limit for writing what is left at the exit of the process. */
const EXIT_TIMEOUT_MS = 1000;

const NEWLINE = 10;
const noBytes: Buffer = Buffer.alloc(0);

let dropped = 0;

/** The number of lines that this process has dropped, because they could not be written. */
export const droppedLines = (): number => dropped;

export interface DestinationOptions {
  fd: number;
  /** The line that reports how many lines were dropped since the last report, and why. */
  formatLoss(lines: number, reason: string): string;
}

/**
 * Writes lines to a file descriptor in the background. `write` neither throws nor waits: lines that cannot be written are
 * dropped and counted. When writing succeeds again, the first line reports how many were dropped.
 */
export class LogDestination {
  readonly #options: DestinationOptions;
  /** Lines for the next chunk. */
  #lines = '';
  /** Each is encoded and written as one piece. */
  #chunks: string[] = [];
  /** Characters of both. */
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The rest of the chunk that is being written, and the part of it that the system has been given. */
  #bytes = noBytes;
  #inFlight = 0;
  #isActive = false;
  /** Whether the last byte that was written is inside of a line. */
  #isTorn = false;
  /** Whether lines are dropped until the waiting ones are written. */
  #isDropping = false;
  /** Dropped lines that are not reported yet, and how many the line that is being written reports. */
  #lost = 0;
  #reported = 0;
  #reason = '';
  #flushed: (() => void)[] = [];

  constructor(options: DestinationOptions) {
    this.#options = options;
    process.once('exit', () => this.#writeRest());
  }

  write(line: string): void {
    if (this.#isDropping) this.#drop(1, this.#reason);
    else if (this.#waiting + line.length > MAX_WAITING) this.#drop(1, 'they are read too slowly');
    else this.#add(line);
  }

  #add(line: string): void {
    this.#lines += line;
    this.#waiting += line.length;
    if (this.#lines.length >= WRITE_CHARACTERS) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), FLUSH_EVERY_MS).unref();
  }

  /** Calls `onFlushed` when the lines so far are written or dropped. */
  flush(onFlushed: () => void): void {
    this.#flushed.push(onFlushed);
    this.#start();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#closeChunk();
    if (this.#isActive) return;
    this.#isActive = true;
    this.#next();
  }

  #closeChunk(): void {
    if (this.#lines !== '') this.#chunks.push(this.#lines);
    this.#lines = '';
  }

  #next(): void {
    if (this.#bytes.length === 0) this.#bytes = this.#encodeNext();
    if (this.#bytes.length > 0) this.#write();
    else {
      this.#isActive = false;
      this.#onFlushed();
    }
  }

  #write(): void {
    this.#inFlight = this.#bytes.length;
    write(this.#options.fd, this.#bytes, (error, written) => {
      this.#inFlight = 0;
      if (!error) {
        this.#onWritten(written);
        this.#next();
        return;
      }
      if (!isFull(error)) {
        this.#drop(this.#clear(), error.code ?? 'unknown');
        this.#onFlushed();
      }
      setTimeout(() => this.#next(), isFull(error) ? FULL_RETRY_MS : ERROR_RETRY_MS).unref();
    });
  }

  /** The next chunk, or the report of a loss once all chunks are written. Empty where there is nothing to write. */
  #encodeNext(): Buffer {
    if (this.#lost > 0) this.#closeChunk();
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#waiting -= chunk.length;
      return Buffer.from(chunk);
    }
    if (this.#lost === 0) return noBytes;
    this.#isDropping = false;
    this.#reported = this.#lost;
    return Buffer.from(`${this.#isTorn ? '\n' : ''}${this.#options.formatLoss(this.#lost, this.#reason)}`);
  }

  #onWritten(count: number): void {
    this.#isTorn = this.#bytes[count - 1] !== NEWLINE;
    this.#bytes = this.#bytes.subarray(count);
    if (this.#bytes.length > 0) return;
    this.#lost -= this.#reported;
    this.#reported = 0;
  }

  /** Discards what waits, and returns how many lines that were. */
  #clear(): number {
    const rest = this.#reported > 0 ? '' : this.#bytes.toString();
    const lines = `${rest}${this.#chunks.join('')}${this.#lines}`.split('\n').length - 1;
    this.#bytes = noBytes;
    this.#chunks = [];
    this.#lines = '';
    this.#waiting = this.#reported = 0;
    return lines;
  }

  /** Counts dropped lines, and drops the further ones until the loss is reported. */
  #drop(lines: number, reason: string): void {
    dropped += lines;
    this.#isDropping = true;
    this.#lost += lines;
    this.#reason = reason;
  }

  #onFlushed(): void {
    for (const onFlushed of this.#flushed.splice(0)) onFlushed();
  }

  /** At the exit of the process. The system completes a write in progress, whose lines may come after these. */
  #writeRest(): void {
    if (this.#inFlight > 0) this.#onWritten(this.#inFlight);
    this.#closeChunk();
    const endMs = performance.now() + EXIT_TIMEOUT_MS;
    for (;;) {
      if (this.#bytes.length === 0) this.#bytes = this.#encodeNext();
      if (this.#bytes.length === 0) return;
      try {
        this.#onWritten(writeSync(this.#options.fd, this.#bytes));
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException) || performance.now() > endMs) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_RETRY_MS);
      }
    }
  }
}

function isFull({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EAGAIN' || code === 'EBUSY';
}
