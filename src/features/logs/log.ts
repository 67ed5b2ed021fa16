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
  // NO_COLOR, and terminals without colours.
  const hasColors = process.stderr.hasColors();
  return createLogger(level, { write: (line) => void destination.write(readable(line, hasColors)) });
}

/** Green, yellow and red, in the escape sequences of terminals. */
const colors: Record<string, string> = { info: '\u001b[32m', warn: '\u001b[33m', error: '\u001b[31m' };
const endOfColor = '\u001b[39m';

/** A line of the log as people read it: `[14:05:01.250] INFO: metrics {"url":"http://…"}`. */
function readable(line: string, hasColors: boolean): string {
  const { level, time, msg, event: _, document: __, ...fields } = JSON.parse(line);
  const at = new Date(time);
  const clock = `${at.toTimeString().slice(0, 8)}.${at.toISOString().slice(20, 23)}`;
  const color = hasColors && colors[level];
  const label = color ? `${color}${level.toUpperCase()}${endOfColor}` : level.toUpperCase();
  const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : '';
  return `[${clock}] ${label}: ${msg}${rest}\n`;
}

/** Settles when the lines so far are written or dropped, or after two seconds. */
export async function flushLogger(logger: LineLogger): Promise<void> {
  const flushed = new Promise((resolve) => logger.flush(resolve));
  await Promise.race([flushed, delay(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
}
