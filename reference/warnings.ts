const INTERVAL_MS = 60_000;

/** Passes at most one line a minute on to `write`. */
export function onceAMinute(write: (line: string) => void): (line: string) => void {
  let writtenAtMs = Number.NEGATIVE_INFINITY;
  return (line) => {
    if (performance.now() - writtenAtMs < INTERVAL_MS) return;
    writtenAtMs = performance.now();
    write(line);
  };
}
