import { EventEmitter, once } from 'node:events';

/** A line of the log, as it was written. */
export interface Line {
  level: string;
  msg: string;
  event?: string;
  stack?: string;
  [field: string]: unknown;
}

/** More than any test reads. */
const MAX_WRITTEN = 20_000;

/** An output for the log, the lines that it got, and a way to wait for them. */
export function createLines() {
  const written: string[] = [];
  const lines: string[] = [];
  const news = new EventEmitter();
  const output = {
    write(text: string) {
      if (written.length < MAX_WRITTEN) written.push(text);
      const line = JSON.parse(text) as Line;
      if (line.event === 'fault') lines.push(`fault: ${line.stack}`);
      // Lines of operations and calls are in `written` only.
      else if (line.event === undefined) lines.push(line.msg);
      news.emit('line');
    },
  };
  const parsed = (event: string) =>
    written.map((text) => JSON.parse(text) as Line).filter((line) => line.event === event);
  return {
    /** The messages for the operator, without the lines of operations and calls. */
    lines,
    output,
    written,
    parsed,
    /** The same, once there are `count`. */
    async logged(event: string, count = 1): Promise<Line[]> {
      while (parsed(event).length < count) await once(news, 'line');
      return parsed(event);
    },
  };
}
