import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

export type { Logger };

type Level = Config['telemetry']['logLevel'];

/** Lines are written in the background: what has not been for so long is, and no more than so much waits. */
const FLUSH_EVERY_MS = 100;
/** A pipe takes so much at once, so that the lines of several processes that share one do not mix. */
const WRITE_BYTES = 4096;
const MAX_WAITING_BYTES = 16_777_216;

/** Names whose values are nobody's business. Deeper in a line they are not looked for: that would cost more than the line. */
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
 * A logger that writes a JSON object a line to `to`. Values are left out by name; a text that may hold a
 * secret is for the one who logs it to make discreet.
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

/** A logger on standard error: lines of JSON, or of text where a person reads them on a terminal. */
export async function startLogger(level: Level): Promise<Logger> {
  if (process.stderr.isTTY) {
    const { default: pretty } = await import('pino-pretty');
    const forPeople = { singleLine: true, ignore: 'event,document', translateTime: 'SYS:HH:MM:ss.l' };
    return createLogger(level, pretty({ destination: 2, sync: true, ...forPeople }));
  }
  const options = {
    dest: 2,
    sync: false,
    minLength: WRITE_BYTES / 2,
    maxWrite: WRITE_BYTES,
    maxLength: MAX_WAITING_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
  };
  return createLogger(level, destination(options));
}

/** The time as pino wants it in a line. Many lines are written in one millisecond, and dates are slow to write. */
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
