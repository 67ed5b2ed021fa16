import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { FromWorker, ToWorker } from './messages.ts';
import type { Switchboard } from './switchboard.ts';

/** A worker as its supervisor sees it. */
export interface Member {
  pid: number | undefined;
  startedMs: number;
  /** Resolves once it serves, to undefined, or to the reasons why it does not. */
  ready: Promise<string[] | undefined>;
  /** How it ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** What its registry tells; undefined where it does not answer. */
  readMetrics(): Promise<object | undefined>;
  /** Says 503 at `/readyz` from now on. */
  retire(): void;
  /** It gets no more connections and is to end; after `patienceMs` it is killed. */
  dismiss(patienceMs: number): void;
  kill(): void;
}

/** How long a worker may take to tell its metrics. */
const metricsMs = 2000;

/** Starts a worker that serves behind `switchboard`. */
export function startMember(serve: ToWorker, switchboard: Switchboard): Member {
  const worker = cluster.fork();
  const tell = (message: ToWorker) => {
    // One that is gone meanwhile says so by its end.
    if (worker.isConnected()) worker.send(message, () => {});
  };
  const ended = once(worker, 'exit').then(([code, signal]) => ({ code, signal }));
  /** Who waits for its metrics, by the numbers under which they were asked for. */
  const asked = new Map<number, (metrics: object) => void>();
  let lastId = 0;
  const ready = new Promise<string[] | undefined>((resolve) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'here') tell(serve);
      else if (message.kind === 'took') switchboard.took(worker, message.id);
      else if (message.kind === 'left') switchboard.left(worker);
      else if (message.kind === 'metrics') asked.get(message.id)?.(message.metrics);
      else if (message.kind === 'failed') resolve(message.messages);
      else if (message.kind === 'ready') {
        switchboard.seat(worker);
        resolve(undefined);
      }
    });
    void ended.then((end) => resolve([`a worker ended before it was ready: ${wordsOf(end)}`]));
  });
  // Not on its exit, for what it said before may arrive later; nor when its channel ends, which Node does not tell while
  // a connection is on its way through it.
  worker.process.once('close', () => switchboard.lost(worker));

  return {
    pid: worker.process.pid,
    startedMs: performance.now(),
    ready,
    ended,
    async readMetrics() {
      lastId += 1;
      const id = lastId;
      const told = new Promise<object>((resolve) => asked.set(id, resolve));
      tell({ kind: 'metrics', id });
      const patience = delay(metricsMs, undefined, { ref: false });
      const metrics = await Promise.race([told, patience, ended.then(() => undefined)]);
      asked.delete(id);
      return metrics;
    },
    retire: () => tell({ kind: 'retire' }),
    dismiss(patienceMs) {
      switchboard.unseat(worker);
      tell({ kind: 'drain' });
      const patience = setTimeout(() => kill(worker), patienceMs);
      void ended.then(() => clearTimeout(patience));
    },
    kill: () => kill(worker),
  };
}

export function wordsOf({ code, signal }: Awaited<Member['ended']>): string {
  return signal ?? `exit code ${code}`;
}

function kill(worker: Worker): void {
  worker.process.kill('SIGKILL');
}
