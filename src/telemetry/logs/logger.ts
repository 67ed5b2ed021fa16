import { setTimeout as delay } from 'node:timers/promises';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Config } from '../../config.ts';

export type { Logger };

type Level = Config['telemetry']['logLevel'];

/** Lines are buffered: longest time until they are written, and largest buffer. Lines beyond it are lost. */
const FLUSH_EVERY_MS = 100;
/** Bytes of one write: each costs a task of the thread pool. */
const WRITE_BYTES = 65_536;
/** A pipe takes so much in one write (PIPE_BUF), so that the lines of processes that share one do not mix. */
const SHARED_WRITE_BYTES = 4096;
const MAX_BUFFER_BYTES = 16_777_216;
/** Time limit for writing the buffer before an exit: the reader of a pipe may be slow, or have stopped. */
const FLUSH_TIMEOUT_MS = 2000;

/** Top-level properties that are redacted. Nested ones are not searched, because that would cost more than the line. */
const secretNames = [
  'x-api-key',
  'apiKey',
  'authorization',
  'cookie',
  'set-cookie',
  'headers',
  'req',
  'request',
  'res',
  'variables',
  'query',
  'body',
];

/**
 * A logger that writes one JSON object per line to `to`. It redacts properties by name; the caller redacts a text that may
 * hold a secret (`redact`).
 */
export function createLogger(level: Level, to: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: createTimestamp(),
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretNames.map((name) => `["${name}"]`), censor: '[redacted]' },
  };
  return pino(options, to);
}

/**
 * A logger on standard error: JSON lines, or text on a terminal.
 * @param isShared whether other processes write to the same standard error
 */
export async function startLogger(level: Level, isShared = true): Promise<Logger> {
  if (process.stderr.isTTY) {
    const { default: pretty } = await import('pino-pretty');
    const forPeople = { singleLine: true, ignore: 'event,document', translateTime: 'SYS:HH:MM:ss.l' };
    return createLogger(level, pretty({ destination: 2, sync: true, ...forPeople }));
  }
  const writeBytes = isShared ? SHARED_WRITE_BYTES : WRITE_BYTES;
  const options = {
    dest: 2,
    sync: false,
    minLength: writeBytes / 2,
    maxWrite: writeBytes,
    maxLength: MAX_BUFFER_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
    contentMode: 'buffer' as const,
  };
  const buffer: { write(line: Buffer): void; flush(callback: () => void): void } = destination(
    options,
  ) as never;
  // As bytes, because it would measure all of a buffered text again for each line that is added.
  const to = {
    write: (line: string) => buffer.write(Buffer.from(line)),
    flush: (callback: () => void) => buffer.flush(callback),
  };
  return createLogger(level, to);
}

/**
 * Settles when the lines so far are written, or after two seconds. The flush at the exit of the process does not wait for a
 * write in progress, whose lines would be torn.
 */
export async function flushLogger(logger: Logger): Promise<void> {
  const flush = () => new Promise<void>((resolve) => logger.flush(() => resolve()));
  // The first leaves what is too little for a write of its own.
  const flushed = flush().then(flush);
  await Promise.race([flushed, delay(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
}

/** The time in pino's format. It is formatted once per millisecond, because that is slow. */
function createTimestamp(): () => string {
  let atMs = 0;
  let written = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== atMs) {
      atMs = nowMs;
      written = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return written;
  };
}
