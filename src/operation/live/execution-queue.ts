/** The share of the time that the executions of one key may take. */
const SHARE = 1 / 4;
/** How long a key executes before the requests and the other keys come, unless one execution takes longer. */
const SLICE_MS = 1;

/** Executes. Returns whether that is done: false where it goes on in promise jobs. */
type Run = () => boolean;

interface KeyQueue {
  runs: Run[];
  /** Until when the key waits, on the clock of `performance.now`. */
  pausedUntilMs: number;
}

/**
 * Runs executions soon: those of one key in their order, the keys in turn, and between two slices the
 * requests. After its slice a key pauses, so that it keeps to its share.
 */
export function createExecutionQueue(): (keyHash: string, run: Run) => void {
  /** The key whose turn comes last is the last one. */
  const queues = new Map<string, KeyQueue>();
  let timer: NodeJS.Timeout | undefined;
  let current: KeyQueue | undefined;
  let isRunning = false;
  let startedAtMs = 0;

  function schedule(): void {
    if (isRunning) return;
    clearTimeout(timer);
    const nowMs = performance.now();
    let waitMs = Number.POSITIVE_INFINITY;
    for (const [keyHash, { runs, pausedUntilMs }] of queues) {
      if (runs.length > 0) waitMs = Math.min(waitMs, pausedUntilMs - nowMs);
      else if (pausedUntilMs <= nowMs) queues.delete(keyHash);
    }
    if (waitMs === Number.POSITIVE_INFINITY) return;
    if (waitMs > 0) timer = setTimeout(schedule, Math.ceil(waitMs)).unref();
    else {
      isRunning = true;
      setImmediate(runSlice);
      // After the promise jobs of the executions, and before anything else.
      setImmediate(endSlice);
    }
  }

  function runSlice(): void {
    startedAtMs = performance.now();
    for (const [keyHash, queue] of queues) {
      if (queue.runs.length === 0 || queue.pausedUntilMs > startedAtMs) continue;
      current = queue;
      queues.delete(keyHash);
      queues.set(keyHash, queue);
      while (performance.now() - startedAtMs < SLICE_MS && queue.runs.shift()?.());
      return;
    }
  }

  function endSlice(): void {
    const nowMs = performance.now();
    if (current) current.pausedUntilMs = nowMs + (nowMs - startedAtMs) * (1 / SHARE - 1);
    current = undefined;
    isRunning = false;
    schedule();
  }

  return (keyHash, run) => {
    const queue = queues.get(keyHash) ?? { runs: [], pausedUntilMs: 0 };
    queues.set(keyHash, queue);
    queue.runs.push(run);
    schedule();
  };
}
