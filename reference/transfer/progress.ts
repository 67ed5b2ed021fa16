import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  update(lines: number, bytes: number): void;
  stop(): void;
}

type Output = NodeJS.WritableStream & { isTTY?: boolean };

const LINES_PER_REPORT = 10_000;

/** Reports the progress through a file of this size: a bar on a terminal, else a line per 10,000 lines. */
export function createProgress(totalBytes: number, out: Output): Progress {
  return out.isTTY ? createBar(totalBytes, out) : createReport(out);
}

function createBar(totalBytes: number, stream: Output): Progress {
  const format = '{bar} {percentage}% | {lines} lines';
  const bar = new SingleBar({ stream, format, hideCursor: true }, Presets.shades_classic);
  bar.start(totalBytes, 0, { lines: 0 });
  return { update: (lines, bytes) => bar.update(bytes, { lines }), stop: () => bar.stop() };
}

function createReport(out: Output): Progress {
  return {
    update(lines) {
      if (lines % LINES_PER_REPORT === 0) out.write(`${lines} lines read\n`);
    },
    stop() {},
  };
}
