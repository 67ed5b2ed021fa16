import { EventEmitter, once } from 'node:events';
import type { Config } from '../../src/config.ts';
import { createLogger } from '../../src/telemetry/logs/logger.ts';

/** A line of the log, as it was written. */
export interface Line {
  level: string;
  msg: string;
  event?: string;
  stack?: string;
  [field: string]: unknown;
}

/** More than any test looks at. */
const MAX_WRITTEN = 20_000;

/** A logger, what it wrote, and a way to wait for it. */
export function createLines(level: Config['telemetry']['logLevel'] = 'info') {
  const written: string[] = [];
  const lines: string[] = [];
  const news = new EventEmitter();
  const logger = createLogger(level, {
    write(text: string) {
      if (written.length < MAX_WRITTEN) written.push(text);
      const line = JSON.parse(text) as Line;
      if (line.event === 'fault') lines.push(`fault: ${line.stack}`);
      // What each operation and each call brings is there for those who ask for it.
      else if (line.event === undefined) lines.push(line.msg);
      news.emit('line');
    },
  });
  const parsed = (event: string) =>
    written.map((text) => JSON.parse(text) as Line).filter((line) => line.event === event);
  return {
    /** What the operator is told beyond operations and calls. */
    lines,
    logger,
    log: (line: string) => logger.warn(line),
    /** All of it, as it was written. */
    written,
    /** The lines of one kind. */
    parsed,
    /** The same, once there are so many. */
    async logged(event: string, count = 1): Promise<Line[]> {
      while (parsed(event).length < count) await once(news, 'line');
      return parsed(event);
    },
    /** The first line from `start` on that holds `pattern`, once there is one. */
    async messageMatching(pattern: RegExp, start = 0): Promise<string> {
      for (;;) {
        const line = lines.slice(start).find((message) => pattern.test(message));
        if (line !== undefined) return line;
        await once(news, 'line');
      }
    },
  };
}
