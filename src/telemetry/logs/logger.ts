import { constants, fstatSync, openSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../../config.ts';
import { LogDestination } from './destination.ts';

export type { Logger };

type Level = Config['telemetry']['logLevel'];

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

/** A logger on standard error: JSON lines, or text on a terminal. */
export async function startLogger(level: Level): Promise<Logger> {
  const format = process.stderr.isTTY ? await startPretty() : (line: string) => line;
  const lossOf = (lines: number, reason: string) => ({
    level: 'warn',
    time: new Date().toISOString(),
    dropped: lines,
    reason,
    msg: 'log lines were dropped',
  });
  const to = new LogDestination({
    fd: openStandardError(),
    formatLoss: (lines, reason) => format(`${JSON.stringify(lossOf(lines, reason))}\n`),
  });
  const lines = {
    write: (line: string) => to.write(format(line)),
    flush: (onFlushed: () => void) => to.flush(onFlushed),
  };
  return createLogger(level, lines);
}

/**
 * Opens a pipe again in non-blocking mode: a write to a full one fails, instead of occupying a thread for which the exit of the
 * process would wait. Other processes that have descriptor 2 keep their mode.
 */
function openStandardError(): number {
  try {
    if (fstatSync(2).isFIFO()) return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Other systems than Linux have no such file, and a pipe of another user may not be opened.
  }
  return 2;
}

/** Formats lines for a terminal. */
async function startPretty(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  return prettyFactory({
    singleLine: true,
    ignore: 'event,document',
    translateTime: 'SYS:HH:MM:ss.l',
    colorize: true,
  });
}

/** Settles when the lines so far are written or dropped, or after two seconds: the reader of a pipe may have stopped. */
export function flushLogger(logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(resolve, FLUSH_TIMEOUT_MS);
    logger.flush(() => {
      clearTimeout(timeout);
      resolve();
    });
  });
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
