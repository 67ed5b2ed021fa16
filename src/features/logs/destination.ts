import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import type { Gauge } from '../../gauges.ts';

/**
 * Opens a pipe again in non-blocking mode: a write to a full one fails, and does not wait for its reader.
 * Other processes that have descriptor 2 keep their mode. Returns the descriptor, and whether a write to it may wait.
 */
export function openStandardError() {
  try {
    const flags = constants.O_WRONLY | constants.O_NONBLOCK;
    if (fstatSync(2).isFIFO()) return { fd: openSync('/proc/self/fd/2', flags), isBlocking: false };
  } catch {
    // Other systems than Linux have no such file, and a pipe of another user may not be opened.
  }
  return { fd: 2, isBlocking: true };
}

type Output = ReturnType<typeof openStandardError>;

/** Lines wait for this time, or until there are enough characters for a write; a write has so many bytes. */
const FLUSH_EVERY_MS = 100;
const WRITE_SIZE = 65_536;
/** Most characters and bytes that wait, so that a reader that stopped costs a bounded amount of memory. */
const MAX_WAITING = 16_777_216;
/** Time until the next attempt where a pipe is full, and after an error. */
const FULL_RETRY_MS = 10;
const ERROR_RETRY_MS = 100;
/** Time limit for writing what is left at the exit of the process, and the time for a write in progress. */
const EXIT_TIMEOUT_MS = 1000;
const EXIT_WRITE_MS = 100;

const NEWLINE = 10;
const noBytes: Buffer = Buffer.alloc(0);

let dropped = 0;

/** The number of lines that this process has dropped. */
export const droppedLines: Gauge = {
  name: 'portico_log_lines_dropped_total',
  help: 'Log lines dropped because standard error could not be written or was read too slowly',
  read: () => dropped,
};

/**
 * Writes lines to a file descriptor in the background. `write` neither throws nor waits: lines that cannot be
 * written are dropped and counted. When writing succeeds again, the first line reports how many were dropped,
 * and why.
 *
 * sonic-boom, which comes with pino, cannot take its place: after an error other than EAGAIN it keeps its lines,
 * and `flushSync` repeats the write for ever, so that a process with a full disk or a closed pipe does not exit.
 * It tries a full pipe again only after 100 ms, may lose the write that is in progress at the exit, and does not
 * count the lines in its buffer.
 */
export class LogDestination {
  readonly #output: Output;
  readonly #format: (line: string) => string;
  #waiting = '';
  /** Whether the waiting lines are to be written: they are enough, or have waited long enough. */
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;
  /** The rest of what is being written, and the part of it that the system has been given. */
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

  constructor(output: Output, format: (line: string) => string) {
    this.#output = output;
    this.#format = format;
    process.once('exit', () => this.#writeRest());
  }

  write(line: string): void {
    const text = this.#format(line);
    const size = this.#bytes.length + this.#waiting.length + text.length;
    if (this.#isDropping) this.#drop(1, this.#reason);
    else if (size > MAX_WAITING) this.#drop(1, 'they are read too slowly');
    else {
      this.#waiting += text;
      if (this.#waiting.length >= WRITE_SIZE) this.#start();
      else this.#timer ??= setTimeout(() => this.#start(), FLUSH_EVERY_MS).unref();
    }
  }

  /** Calls `onFlushed` when the lines so far are written or dropped. */
  flush(onFlushed: () => void): void {
    this.#flushed.push(onFlushed);
    this.#start();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isDue = true;
    if (this.#isActive) return;
    this.#isActive = true;
    this.#next();
  }

  #next(): void {
    this.#inFlight = 0;
    if (this.#bytes.length === 0) this.#bytes = this.#encodeNext();
    this.#isActive = this.#bytes.length > 0;
    if (!this.#isActive) this.#onFlushed();
    else if (this.#output.isBlocking) this.#writeInBackground();
    else this.#writeNow();
  }

  #writeInBackground(): void {
    this.#inFlight = Math.min(this.#bytes.length, WRITE_SIZE);
    write(this.#output.fd, this.#bytes, 0, this.#inFlight, (error, written) => {
      if (error) return this.#onError(error);
      this.#onWritten(written);
      this.#next();
    });
  }

  /** At an exit it is known how much of the bytes was written, as it is not of a write in progress. */
  #writeNow(): void {
    try {
      this.#onWritten(writeSync(this.#output.fd, this.#bytes, 0, Math.min(this.#bytes.length, WRITE_SIZE)));
      setImmediate(() => this.#next());
    } catch (error) {
      this.#onError(error as NodeJS.ErrnoException);
    }
  }

  #onError(error: NodeJS.ErrnoException): void {
    this.#inFlight = 0;
    if (!isFull(error)) {
      this.#drop(this.#clear(), error.code ?? 'unknown');
      this.#onFlushed();
    }
    setTimeout(() => this.#next(), isFull(error) ? FULL_RETRY_MS : ERROR_RETRY_MS).unref();
  }

  /** The waiting lines, or the report of a loss once they are written. Empty if there is neither. */
  #encodeNext(): Buffer {
    if (!this.#isDue && this.#lost === 0) return noBytes;
    const lines = this.#waiting;
    this.#isDue = false;
    this.#waiting = '';
    if (lines !== '' || this.#lost === 0) return Buffer.from(lines);
    this.#isDropping = false;
    this.#reported = this.#lost;
    const loss = { time: new Date().toISOString(), dropped: this.#lost, reason: this.#reason };
    const line = JSON.stringify({ level: 'warn', ...loss, msg: 'log lines were dropped' });
    return Buffer.from(`${this.#isTorn ? '\n' : ''}${this.#format(`${line}\n`)}`);
  }

  #onWritten(count: number): void {
    this.#isTorn = this.#bytes[count - 1] !== NEWLINE;
    this.#bytes = this.#bytes.subarray(count);
    if (this.#bytes.length > 0) return;
    this.#lost -= this.#reported;
    this.#reported = 0;
  }

  /** Discards what is not written, and returns how many lines that were. */
  #clear(): number {
    const rest = this.#reported > 0 ? '' : this.#bytes.toString();
    const lines = `${rest}${this.#waiting}`.split('\n').length - 1;
    this.#bytes = noBytes;
    this.#waiting = '';
    this.#reported = 0;
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

  /** At the exit of the process. A write in progress gets the time it needs unless its reader is slow. */
  #writeRest(): void {
    if (this.#inFlight > 0) {
      sleep(EXIT_WRITE_MS);
      this.#onWritten(this.#inFlight);
    }
    this.#isDue = true;
    const endMs = performance.now() + EXIT_TIMEOUT_MS;
    for (;;) {
      if (this.#bytes.length === 0) this.#bytes = this.#encodeNext();
      if (this.#bytes.length === 0) return;
      try {
        this.#onWritten(writeSync(this.#output.fd, this.#bytes));
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException) || performance.now() > endMs) return;
        sleep(FULL_RETRY_MS);
      }
    }
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function isFull({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EAGAIN' || code === 'EBUSY';
}
