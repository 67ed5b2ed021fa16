import { createReadStream } from 'node:fs';
import { isObject, parse } from '../../rest/json.ts';

/** The longest line that is read, in characters: far longer than any that the gateway writes. */
const MAX_LINE = 65_536;

type LogRecord = Record<string, unknown>;

/**
 * Reads the log of a gateway, from a file or, for `-`, from standard input, with a bounded amount of memory.
 * Returns how many lines are of a gateway, and how many are not. Rejects with the error of the system where it
 * cannot be read.
 */
export async function readLog(path: string, onRecord: (record: LogRecord) => void) {
  const input = path === '-' ? process.stdin : createReadStream(path);
  const lines = { own: 0, foreign: 0 };

  function onLine(line: string): void {
    const record = line.startsWith('{') ? parse(line) : undefined;
    if (isObject(record) && typeof record.level === 'string' && typeof record.time === 'string') {
      onRecord(record);
      lines.own += 1;
    } else if (line.trim() !== '') lines.foreign += 1;
  }

  let rest = '';
  for await (const chunk of input.setEncoding('utf8')) {
    const whole = `${rest}${chunk}`.split('\n');
    // The beginning of a line that is too long is no JSON.
    rest = (whole.pop() ?? '').slice(0, MAX_LINE);
    for (const line of whole) onLine(line);
  }
  onLine(rest);
  return lines;
}
