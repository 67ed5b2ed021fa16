import { EventEmitter, once } from 'node:events';

/** What was logged, and a way to wait for it. */
export function createLines() {
  const lines: string[] = [];
  const news = new EventEmitter();
  return {
    lines,
    log(line: string) {
      lines.push(line);
      news.emit('line');
    },
    /** The first line from `start` on that holds `pattern`, once there is one. */
    async said(pattern: RegExp, start = 0): Promise<string> {
      for (;;) {
        const line = lines.slice(start).find((said) => pattern.test(said));
        if (line !== undefined) return line;
        await once(news, 'line');
      }
    },
  };
}
