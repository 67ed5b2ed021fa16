/** How long the requests may have to wait for executions. */
const MAX_PAUSE_MS = 5;

/** Runs work in its order, soon, and in slices between which requests are served. */
export function createExecutionQueue(): (run: () => void) => void {
  let waiting: (() => void)[] = [];
  let isScheduled = false;

  function runSlice(): void {
    const sinceMs = performance.now();
    const runs = waiting;
    let next = 0;
    waiting = [];
    isScheduled = false;
    while (next < runs.length && performance.now() - sinceMs < MAX_PAUSE_MS) {
      runs[next]?.();
      next += 1;
    }
    waiting = [...runs.slice(next), ...waiting];
    schedule();
  }

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(runSlice);
  }

  return (run) => {
    waiting.push(run);
    schedule();
  };
}
