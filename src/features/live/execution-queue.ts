/** A key that executes waits afterwards for three times as long: it takes a quarter of the time. */
const PAUSES = 3;

/** Creates the queue of one key, which runs executions one by one, with requests and other keys in between. */
export function createExecutionQueue(): (run: () => void) => void {
  const runs: (() => void)[] = [];
  let isBusy = false;

  function next(): void {
    const run = runs.shift();
    isBusy = run !== undefined;
    if (!run) return;
    let startedAtMs = 0;
    setImmediate(() => {
      startedAtMs = performance.now();
      run();
    });
    // After the promise jobs of the execution, and before anything else.
    setImmediate(() => setTimeout(next, (performance.now() - startedAtMs) * PAUSES).unref());
  }

  return (run) => {
    runs.push(run);
    if (!isBusy) next();
  };
}
