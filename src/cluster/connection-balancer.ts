import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { ToWorker } from './messages.ts';

/** Passes each connection to a worker, and keeps a copy of it until the worker has accepted it. */
export interface ConnectionBalancer {
  /** Passes a connection to the worker with the fewest; it waits while there is none. */
  pass(socket: Socket): void;
  /** From now on the worker gets connections. */
  add(worker: Worker): void;
  /** From now on it gets no more. */
  drain(worker: Worker): void;
  /** The worker has received the connection with this id. */
  onAccepted(worker: Worker, id: number): void;
  /** One of its connections was closed. */
  onClosed(worker: Worker): void;
  /** It has exited, and all its messages have arrived: passes the connections that it has not accepted to others. */
  onExit(worker: Worker): void;
  /** No further worker will be added: closes the waiting connections. */
  close(): void;
}

/** A worker that accepts nothing for so long gets no connection while others accept: its event loop may be blocked. */
const stalledMs = 100;

interface WorkerState {
  isDraining: boolean;
  open: number;
  inTransit: Map<number, { socket: Socket; sentMs: number }>;
}

export function createConnectionBalancer(): ConnectionBalancer {
  const workers = new Map<Worker, WorkerState>();
  let waiting: Socket[] = [];
  let lastId = 0;
  let isClosed = false;

  function pass(socket: Socket): void {
    const worker = leastBusy(workers);
    if (worker) send(worker, socket);
    else if (isClosed) socket.destroy();
    else waiting.push(socket);
  }

  function send(worker: Worker, socket: Socket): void {
    lastId += 1;
    const id = lastId;
    const inTransit = workers.get(worker)?.inTransit;
    inTransit?.set(id, { socket, sentMs: performance.now() });
    const message: ToWorker = { kind: 'connection', id };
    // The copy here stays open: it is the only one where the worker is killed before it has received its own.
    worker.send(message, socket, { keepOpen: true }, (error) => {
      if (error && inTransit?.delete(id)) pass(socket);
    });
  }

  return {
    pass,
    add(worker) {
      workers.set(worker, { isDraining: false, open: 0, inTransit: new Map() });
      const sockets = waiting;
      waiting = [];
      for (const socket of sockets) pass(socket);
    },
    drain(worker) {
      const state = workers.get(worker);
      if (state) state.isDraining = true;
    },
    onAccepted(worker, id) {
      const state = workers.get(worker);
      state?.inTransit.get(id)?.socket.destroy();
      if (state?.inTransit.delete(id)) state.open += 1;
    },
    onClosed(worker) {
      const state = workers.get(worker);
      if (state) state.open -= 1;
    },
    onExit(worker) {
      const state = workers.get(worker);
      workers.delete(worker);
      for (const { socket } of state?.inTransit.values() ?? []) pass(socket);
    },
    close() {
      isClosed = true;
      for (const socket of waiting) socket.destroy();
      waiting = [];
    },
  };
}

function leastBusy(workers: ReadonlyMap<Worker, WorkerState>): Worker | undefined {
  const nowMs = performance.now();
  let best: { worker: Worker; isStalled: boolean; load: number } | undefined;
  for (const [worker, { isDraining, open, inTransit }] of workers) {
    if (isDraining || !worker.isConnected()) continue;
    const [oldest] = inTransit.values();
    const isStalled = oldest !== undefined && nowMs - oldest.sentMs > stalledMs;
    const load = open + inTransit.size;
    const isBetter = !best || (isStalled === best.isStalled ? load < best.load : best.isStalled);
    if (isBetter) best = { worker, isStalled, load };
  }
  return best?.worker;
}
