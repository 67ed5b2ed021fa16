import { constants, fstatSync, openSync } from 'node:fs';
import { pino } from 'pino';
import type { Gauge } from '../../observers/gauges.ts';

/** Most bytes that wait, so that a reader that stopped costs a bounded amount of memory. */
const MAX_WAITING = 16_777_216;
/** Lines wait for this time, or until there are enough bytes for a write. */
const FLUSH_EVERY_MS = 100;
const WRITE_SIZE = 16_384;
/** Time limit for writing what is left at the exit of the process. */
const EXIT_TIMEOUT_MS = 1000;

let dropped = 0;

/** The number of lines that this process has dropped. */
export const droppedLines: Gauge = {
  name: 'portico_log_lines_dropped_total',
  help: 'Log lines dropped because standard error could not be written or was read too slowly',
  read: () => dropped,
};

/**
 * Opens standard error for lines that are written in the background, by the destination that comes with pino. A write
 * neither throws nor waits. While standard error cannot be written, 16 MiB wait, and further lines are dropped and
 * counted.
 */
export function openDestination() {
  let isFailing = false;
  let exitAtMs = Number.POSITIVE_INFINITY;
  const destination = pino.destination({
    dest: openStandardError(),
    sync: false,
    minLength: WRITE_SIZE - 1,
    maxWrite: WRITE_SIZE,
    maxLength: MAX_WAITING,
    periodicFlush: FLUSH_EVERY_MS,
    retryEAGAIN: () => performance.now() < exitAtMs,
  });
  // The library's own listener gives up for good when the reader of a pipe is gone.
  destination.removeAllListeners('error');
  destination.on('error', () => (isFailing = true));
  destination.on('write', () => (isFailing = false));
  destination.on('drop', () => (dropped += 1));
  const flushSync = destination.flushSync.bind(destination);
  // The library calls it at the exit of the process, and would repeat a write that fails for ever.
  destination.flushSync = () => {
    if (isFailing) return;
    exitAtMs = performance.now() + EXIT_TIMEOUT_MS;
    try {
      flushSync();
    } catch {
      // The reader has taken nothing for a second.
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
