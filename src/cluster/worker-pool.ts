import { createBackoff } from './backoff.ts';
import { describeExit, type WorkerHandle } from './worker-handle.ts';

/** The state of all workers together, as the body of a probe's response. */
type Health = 'ok' | 'starting' | 'draining' | 'unresponsive';

/** A fixed number of workers. */
export interface WorkerPool {
  /** Starts them all. Resolves to undefined once all serve, or to the reasons why one cannot. */
  start(): Promise<string[] | undefined>;
  /** Rolling restart: replaces the workers one by one, each once its successor serves. Stops where one cannot start. */
  restart(): Promise<void>;
  /** The metrics of each running worker by its process id; undefined for one that does not respond. */
  readMetrics(): Promise<{ id: number | undefined; metrics: object | undefined }[]>;
  /** Whether a worker that serves or drains responds. `ok` without workers: the supervisor is to start the next. */
  liveness(): Promise<Health>;
  /** Whether a worker serves and responds, and the pool is not shutting down. */
  readiness(): Promise<Health>;
  /** Fails readiness from now on. */
  retire(): void;
  /** Drains all workers. Resolves to whether each exited with 0. */
  drain(): Promise<boolean>;
  kill(): void;
}

export interface WorkerPoolOptions {
  count: number;
  startWorker(): WorkerHandle;
  /** Time limit for the active requests of a worker that drains. */
  drainMs(): number;
  log: (line: string) => void;
}

type State = 'starting' | 'serving' | 'draining';

export function createWorkerPool({ count, startWorker, drainMs, log }: WorkerPoolOptions): WorkerPool {
  const states = new Map<WorkerHandle, State>();
  const backoff = createBackoff();
  let isRetired = false;
  let isEnding = false;

  /**
   * Starts a worker, and replaces it when it exits.
   * @param isAwaited the caller handles a failed start: there is no replacement and no log line
   */
  function add(isAwaited: boolean): WorkerHandle {
    const worker = startWorker();
    states.set(worker, 'starting');
    void worker.ready.then((faults) => {
      if (!faults && states.has(worker)) states.set(worker, 'serving');
      if (isRetired) worker.retire();
      if (faults && !isAwaited && !isEnding) for (const fault of faults) log(fault);
    });
    void worker.exited.then((exit) => {
      const state = states.get(worker);
      states.delete(worker);
      if (isEnding || state === 'draining' || (state === 'starting' && isAwaited)) return;
      const delayMs = backoff(performance.now() - worker.startedMs);
      const when = delayMs === 0 ? 'at once' : `in ${delayMs / 1000} s`;
      log(`worker ${worker.pid} exited (${describeExit(exit)}): starting another ${when}`);
      addLater(delayMs);
    });
    return worker;
  }

  function addLater(delayMs: number): void {
    setTimeout(() => {
      if (isEnding) return;
      try {
        add(false);
      } catch (fault) {
        // The system may have room for another process later.
        log(`a worker could not be started: ${fault}`);
        addLater(backoff(0));
      }
    }, delayMs);
  }

  function workersIn(...wanted: State[]): WorkerHandle[] {
    return [...states].filter(([, state]) => wanted.includes(state)).map(([worker]) => worker);
  }

  function drain(worker: WorkerHandle): WorkerHandle['exited'] {
    states.set(worker, 'draining');
    worker.drain(drainMs());
    return worker.exited;
  }

  return {
    async start() {
      const first = Array.from({ length: count }, () => add(true));
      const faults = await Promise.all(first.map(({ ready }) => ready));
      return faults.find((found) => found !== undefined);
    },
    async restart() {
      for (const old of [...states.keys()]) {
        // A worker that is starting may have read the old configuration already.
        if (states.get(old) === 'starting') await old.ready;
        if (isEnding || isRetired) return;
        if (states.get(old) !== 'serving') continue;
        const next = add(true);
        const faults = await next.ready;
        if (isEnding || isRetired) return;
        if (faults) return log(`reload failed, the workers are unchanged: ${faults.join('; ')}`);
        // The old one may have exited meanwhile, and been replaced.
        await drain(states.has(old) ? old : next);
      }
      log('reload: all workers were replaced');
    },
    readMetrics() {
      return Promise.all(
        workersIn('serving', 'draining').map(async (worker) => ({
          id: worker.pid,
          metrics: await worker.readMetrics(),
        })),
      );
    },
    liveness: () => healthOf(workersIn('serving', 'draining'), 'ok'),
    async readiness() {
      if (isRetired || isEnding) return 'draining';
      return healthOf(workersIn('serving'), 'starting');
    },
    retire() {
      isRetired = true;
      for (const worker of states.keys()) worker.retire();
    },
    async drain() {
      isEnding = true;
      const exits = [...states].map(async ([worker, state]) => {
        if (state === 'serving') drain(worker);
        if (state === 'starting') worker.kill();
        const { code } = await worker.exited;
        return code === 0 || state === 'starting';
      });
      return (await Promise.all(exits)).every((isClean) => isClean);
    },
    kill() {
      isEnding = true;
      for (const worker of states.keys()) worker.kill();
    },
  };
}

/** `ok` as soon as one worker responds, `unresponsive` where none does in time, `ifNone` without workers. */
async function healthOf(workers: readonly WorkerHandle[], ifNone: Health): Promise<Health> {
  if (workers.length === 0) return ifNone;
  const responses = workers.map(async (worker) => {
    if (!(await worker.isResponsive())) throw new Error('no response');
  });
  return Promise.any(responses).then(
    () => 'ok',
    () => 'unresponsive',
  );
}
