import { constants, fstatSync, openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { styleText } from 'node:util';
import { type DestinationStream, type LevelWithSilent, type Logger as Pino, pino } from 'pino';
import type { Gauge } from '../../observers/gauges.ts';

export interface LineLogger extends Pino {
  /** Writes a line that is JSON already, whatever the level. */
  writeLine(line: string): void;
}

/** Creates a logger that writes one JSON object per line. The caller redacts a text that may hold a secret. */
export function createLogger(level: LevelWithSilent, to: DestinationStream): LineLogger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return Object.assign(pino(options, to), { writeLine: (line: string) => to.write(line) });
}

/** Creates a logger on standard error: JSON lines, or text on a terminal. */
export function startLogger(level: LevelWithSilent): LineLogger {
  const destination = openDestination();
  const terminal = { write: (line: string) => void destination.write(readable(line)) };
  return createLogger(level, process.stderr.isTTY ? terminal : destination);
}

const colors = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

/** A line of the log as people read it: `[14:05:01.250] INFO: metrics {"url":"http://…"}`. */
function readable(line: string): string {
  const { level, time, msg, event: _, document: __, ...fields } = JSON.parse(line);
  const clock = `${new Date(time).toTimeString().slice(0, 8)}${time.slice(19, 23)}`;
  // Without colours for NO_COLOR, and for a terminal that has none.
  const color = colors[level as keyof typeof colors];
  const label = styleText(color, level.toUpperCase(), { stream: process.stderr });
  const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : '';
  return `[${clock}] ${label}: ${msg}${rest}\n`;
}

/** Time limit for writing the buffer before an exit: the reader of a pipe may be slow, or have stopped. */
const FLUSH_TIMEOUT_MS = 2000;

/** Settles when the lines so far are written or dropped, or after two seconds. */
export async function flushLogger(logger: LineLogger): Promise<void> {
  const flushed = new Promise((resolve) => logger.flush(resolve));
  await Promise.race([flushed, delay(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
}

/** Most bytes that wait, so that a reader that stopped costs a bounded amount of memory. */
const MAX_WAITING = 16_777_216;
/** Lines wait for this time, or until there are enough bytes for a write. */
const FLUSH_EVERY_MS = 100;
const WRITE_SIZE = 16_384;

let dropped = 0;

/** The number of lines that this process has dropped. */
export const droppedLines: Gauge = {
  name: 'portico_log_lines_dropped_total',
  help: 'Log lines dropped because standard error could not be written or was read too slowly',
  read: () => dropped,
};

/**
 * Opens standard error for lines that are written in the background. A write neither throws nor waits. While standard
 * error cannot be written, 16 MiB wait, and further lines are dropped and counted.
 */
function openDestination() {
  let isFailing = false;
  let exitAtMs = Number.POSITIVE_INFINITY;
  const destination = pino.destination({
    dest: openStandardError(),
    sync: false,
    minLength: WRITE_SIZE - 1,
    maxLength: MAX_WAITING,
    periodicFlush: FLUSH_EVERY_MS,
    retryEAGAIN: () => performance.now() < exitAtMs,
  });
  destination.on('error', () => (isFailing = true));
  destination.on('write', () => (isFailing = false));
  destination.on('drop', () => (dropped += 1));
  const flushSync = destination.flushSync.bind(destination);
  // The library calls it at the exit of the process, and would repeat a write that fails for ever.
  destination.flushSync = () => {
    if (isFailing) return;
    exitAtMs = performance.now() + FLUSH_TIMEOUT_MS;
    try {
      flushSync();
    } catch {
      // The reader has taken nothing for two seconds.
    }
  };
  return destination;
}

/** Opens a pipe again in non-blocking mode: a write to a full one fails, and does not wait for its reader at the exit. */
function openStandardError(): number {
  try {
    if (fstatSync(2).isFIFO()) return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Other systems than Linux have no such file, and a pipe of another user may not be opened.
  }
  return 2;
}
