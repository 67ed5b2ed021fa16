import cluster, { type Worker } from 'node:cluster';
import type { ConnectionBalancer } from './connection-balancer.ts';
import type { FromWorker, ToWorker } from './messages.ts';

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The supervisor's side of a worker. */
export interface WorkerHandle {
  pid: number | undefined;
  startedMs: number;
  /** Resolves to undefined once the worker serves, or to the reasons why it does not. */
  ready: Promise<string[] | undefined>;
  exited: Promise<Exit>;
  /** The metrics of its registry; undefined where it does not respond. */
  readMetrics(): Promise<object | undefined>;
  /** Whether its event loop runs: it responds within 1.5 s. */
  isResponsive(): Promise<boolean>;
  /** From now on its `/readyz` is 503. */
  retire(): void;
  /** Ends it gracefully: no further connections, at most `timeoutMs` for active requests. Killed if it takes longer. */
  drain(timeoutMs: number): void;
  kill(): void;
}

/** Time for a worker to exit, besides that for its active requests. */
const exitMs = 4000;
const metricsTimeoutMs = 2000;
/** Less than the timeout of the probes in deploy/. */
const pingTimeoutMs = 1500;

/** Starts a worker that gets its connections from `balancer`. */
export function startWorker(serve: ToWorker, balancer: ConnectionBalancer): WorkerHandle {
  const worker = cluster.fork();
  const send = (message: ToWorker) => {
    // An exit meanwhile is reported by its event.
    if (worker.isConnected()) worker.send(message, () => {});
  };
  // A process that could not be spawned emits no 'exit'.
  const exited = new Promise<Exit>((resolve) => {
    worker.once('exit', (code, signal) => resolve({ code, signal: signal as NodeJS.Signals | null }));
    worker.on('error', () => resolve({ code: 1, signal: null }));
  });
  /** The pending requests to the worker, by id. */
  const pending = new Map<number, (response: object | undefined) => void>();
  let lastId = 0;
  const respond = (id: number, response: object | undefined) => {
    pending.get(id)?.(response);
    pending.delete(id);
  };
  /** Resolves to the response; to undefined on a timeout, or when the worker exits. */
  const request = (kind: 'metrics' | 'ping', timeoutMs: number) => {
    lastId += 1;
    const id = lastId;
    return new Promise<object | undefined>((resolve) => {
      const timeout = setTimeout(respond, timeoutMs, id, undefined);
      pending.set(id, (response) => {
        clearTimeout(timeout);
        resolve(response);
      });
      send({ kind, id });
    });
  };
  void exited.then(() => {
    for (const id of [...pending.keys()]) respond(id, undefined);
  });
  const ready = new Promise<string[] | undefined>((resolve) => {
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'online') send(serve);
      else if (message.kind === 'accepted') balancer.onAccepted(worker, message.id);
      else if (message.kind === 'closed') balancer.onClosed(worker);
      else if (message.kind === 'metrics') respond(message.id, message.metrics);
      else if (message.kind === 'pong') respond(message.id, message);
      else if (message.kind === 'failed') resolve(message.messages);
      else if (message.kind === 'ready') {
        balancer.add(worker);
        resolve(undefined);
      }
    });
    void exited.then((exit) => resolve([`a worker exited before it was ready: ${describeExit(exit)}`]));
  });
  // Not on 'exit', because messages may arrive later; nor on 'disconnect', which Node does not emit while a connection is
  // being sent over the channel.
  worker.process.once('close', () => balancer.onExit(worker));

  return {
    pid: worker.process.pid,
    startedMs: performance.now(),
    ready,
    exited,
    readMetrics: () => request('metrics', metricsTimeoutMs),
    isResponsive: async () => (await request('ping', pingTimeoutMs)) !== undefined,
    retire: () => send({ kind: 'retire' }),
    drain(timeoutMs) {
      balancer.drain(worker);
      send({ kind: 'drain', timeoutMs });
      const timeout = setTimeout(() => kill(worker), timeoutMs + exitMs);
      void exited.then(() => clearTimeout(timeout));
    },
    kill: () => kill(worker),
  };
}

export function describeExit({ code, signal }: Exit): string {
  return signal ?? `exit code ${code}`;
}

function kill(worker: Worker): void {
  worker.process.kill('SIGKILL');
}
