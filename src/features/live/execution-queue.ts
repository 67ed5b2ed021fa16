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
 * Runs executions soon: those of one key in their order, first those of the key that has waited longest, and
 * between two slices the requests. After its slice a key pauses, so that it keeps to its share.
 */
export function createExecutionQueue(): (keyHash: string, run: Run) => void {
  const queues = new Map<string, KeyQueue>();
  let timer: NodeJS.Timeout | undefined;
  /** The queue of the slice that runs or is about to. */
  let current: KeyQueue | undefined;
  let startedAtMs = 0;

  function schedule(): void {
    if (current) return;
    clearTimeout(timer);
    const nowMs = performance.now();
    let next: KeyQueue | undefined;
    for (const [keyHash, queue] of queues) {
      const { runs, pausedUntilMs } = queue;
      if (runs.length > 0) next = next && next.pausedUntilMs <= pausedUntilMs ? next : queue;
      else if (pausedUntilMs <= nowMs) queues.delete(keyHash);
    }
    if (!next) return;
    const waitMs = next.pausedUntilMs - nowMs;
    if (waitMs > 0) timer = setTimeout(schedule, Math.ceil(waitMs)).unref();
    else {
      current = next;
      setImmediate(runSlice, next);
      // After the promise jobs of the executions, and before anything else.
      setImmediate(endSlice, next);
    }
  }

  function runSlice({ runs }: KeyQueue): void {
    startedAtMs = performance.now();
    while (performance.now() - startedAtMs < SLICE_MS && runs.shift()?.());
  }

  function endSlice(queue: KeyQueue): void {
    const nowMs = performance.now();
    queue.pausedUntilMs = nowMs + (nowMs - startedAtMs) * (1 / SHARE - 1);
    current = undefined;
    schedule();
  }

  return (keyHash, run) => {
    const queue = queues.get(keyHash) ?? { runs: [], pausedUntilMs: performance.now() };
    queues.set(keyHash, queue);
    queue.runs.push(run);
    schedule();
  };
}
