import cluster, { type Worker } from 'node:cluster';
import type { FromWorker, ToWorker } from './messages.ts';
import type { Switchboard } from './switchboard.ts';

interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A worker as its supervisor sees it. */
export interface Member {
  pid: number | undefined;
  startedMs: number;
  /** Resolves once it serves, to undefined, or to the reasons why it does not. */
  ready: Promise<string[] | undefined>;
  /** How it ended. */
  ended: Promise<End>;
  /** What its registry tells; undefined where it does not answer. */
  readMetrics(): Promise<object | undefined>;
  /** Whether its event loop runs: it responds in 1.5 s. */
  isResponsive(): Promise<boolean>;
  /** Says 503 at `/readyz` from now on. */
  retire(): void;
  /** It gets no more connections and is to end: its calls may take `timeoutMs`; a while after that it is killed. */
  dismiss(timeoutMs: number): void;
  kill(): void;
}

/** What a worker may take to end besides the time of its calls. */
const tidyMs = 4000;
/** How long a worker may take to tell its metrics. */
const metricsMs = 2000;
/** How long a worker may take to respond. Less than the time that the probes in deploy/ grant. */
const pingMs = 1500;

/** Starts a worker that serves behind `switchboard`. */
export function startMember(serve: ToWorker, switchboard: Switchboard): Member {
  const worker = cluster.fork();
  const tell = (message: ToWorker) => {
    // One that is gone meanwhile says so by its end.
    if (worker.isConnected()) worker.send(message, () => {});
  };
  // One that could not even be made has no exit.
  const ended = new Promise<End>((resolve) => {
    worker.once('exit', (code, signal) => resolve({ code, signal: signal as NodeJS.Signals | null }));
    worker.once('error', () => resolve({ code: 1, signal: null }));
  });
  /** Requests to the worker that wait for its answer, by their numbers. */
  const asked = new Map<number, (answer: object | undefined) => void>();
  let lastId = 0;
  const answer = (id: number, body: object | undefined) => {
    asked.get(id)?.(body);
    asked.delete(id);
  };
  /** Resolves to the answer; to undefined where it does not come in time, or the worker has ended. */
  const request = (kind: 'metrics' | 'ping', timeoutMs: number) => {
    lastId += 1;
    const id = lastId;
    return new Promise<object | undefined>((resolve) => {
      const timeout = setTimeout(answer, timeoutMs, id, undefined);
      asked.set(id, (body) => {
        clearTimeout(timeout);
        resolve(body);
      });
      tell({ kind, id });
    });
  };
  void ended.then(() => {
    for (const id of [...asked.keys()]) answer(id, undefined);
  });
  const ready = new Promise<string[] | undefined>((resolve) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'here') tell(serve);
      else if (message.kind === 'took') switchboard.took(worker, message.id);
      else if (message.kind === 'left') switchboard.left(worker);
      else if (message.kind === 'metrics') answer(message.id, message.metrics);
      else if (message.kind === 'pong') answer(message.id, message);
      else if (message.kind === 'failed') resolve(message.messages);
      else if (message.kind === 'ready') {
        switchboard.seat(worker);
        resolve(undefined);
      }
    });
    void ended.then((end) => resolve([`a worker exited before it was ready: ${wordsOf(end)}`]));
  });
  // Not on its exit, for what it said before may arrive later; nor when its channel ends, which Node does not tell while
  // a connection is on its way through it.
  worker.process.once('close', () => switchboard.lost(worker));

  return {
    pid: worker.process.pid,
    startedMs: performance.now(),
    ready,
    ended,
    readMetrics: () => request('metrics', metricsMs),
    isResponsive: async () => (await request('ping', pingMs)) !== undefined,
    retire: () => tell({ kind: 'retire' }),
    dismiss(timeoutMs) {
      switchboard.unseat(worker);
      tell({ kind: 'drain', timeoutMs });
      const patience = setTimeout(() => kill(worker), timeoutMs + tidyMs);
      void ended.then(() => clearTimeout(patience));
    },
    kill: () => kill(worker),
  };
}

export function wordsOf({ code, signal }: End): string {
  return signal ?? `exit code ${code}`;
}

function kill(worker: Worker): void {
  worker.process.kill('SIGKILL');
}
