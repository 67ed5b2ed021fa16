import { setTimeout as delay } from 'node:timers/promises';
import { type DestinationStream, type LevelWithSilent, type Logger as Pino, pino } from 'pino';
import { openDestination } from './destination.ts';

export interface LineLogger extends Pino {
  /** Writes a line that is JSON already, whatever the level. */
  writeLine(line: string): void;
}

/** Time limit for writing the buffer before an exit: the reader of a pipe may be slow, or have stopped. */
const FLUSH_TIMEOUT_MS = 2000;

/** Top-level properties that are redacted. To search nested ones would cost more than the line. */
const secretNames = [
  ...['x-api-key', 'apiKey', 'authorization', 'cookie', 'set-cookie', 'headers'],
  ...['req', 'request', 'res', 'variables', 'query', 'body'],
];

/**
 * A logger that writes one JSON object per line to `to`. It redacts properties by name; the caller redacts a
 * text that may hold a secret (`redact`).
 */
export function createLogger(level: LevelWithSilent, to: DestinationStream): LineLogger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretNames.map((name) => `["${name}"]`), censor: '[redacted]' },
  };
  return Object.assign(pino(options, to), { writeLine: (line: string) => to.write(line) });
}

/** A logger on standard error: JSON lines, or coloured text on a terminal. */
export async function startLogger(level: LevelWithSilent): Promise<LineLogger> {
  const destination = openDestination();
  if (!process.stderr.isTTY) return createLogger(level, destination);
  const { prettyFactory } = await import('pino-pretty');
  const translateTime = 'SYS:HH:MM:ss.l';
  // NO_COLOR, and terminals without colours.
  const colorize = process.stderr.hasColors();
  const format = prettyFactory({ singleLine: true, ignore: 'event,document', translateTime, colorize });
  return createLogger(level, { write: (line) => void destination.write(format(line)) });
}

/** Settles when the lines so far are written or dropped, or after two seconds. */
export async function flushLogger(logger: LineLogger): Promise<void> {
  const flushed = new Promise((resolve) => logger.flush(resolve));
  await Promise.race([flushed, delay(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
}
