import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { ToWorker } from './messages.ts';

/** Hands each connection to one of the workers, and keeps it until that one says that it has it. */
export interface Switchboard {
  /** To the worker that holds fewest; while there is none, it waits. */
  pass(socket: Socket): void;
  /** From now on the worker takes connections. */
  seat(worker: Worker): void;
  /** From now on it gets no more. */
  unseat(worker: Worker): void;
  /** The worker has the connection of this number. */
  took(worker: Worker, id: number): void;
  /** One of its connections has ended. */
  left(worker: Worker): void;
  /** It is gone, and has said all that it will: what it has not taken goes to others. */
  lost(worker: Worker): void;
  /** No worker comes any more: ends what waits for one. */
  close(): void;
}

/** A worker that takes nothing for so long gets nothing while others do: it may be amid a long computation. */
const stalledMs = 100;

interface Seat {
  isTaking: boolean;
  open: number;
  inTransit: Map<number, { socket: Socket; sentMs: number }>;
}

export function createSwitchboard(): Switchboard {
  const seats = new Map<Worker, Seat>();
  let waiting: Socket[] = [];
  let lastId = 0;
  let isClosed = false;

  function pass(socket: Socket): void {
    const worker = leastBusy(seats);
    if (worker) send(worker, socket);
    else if (isClosed) socket.destroy();
    else waiting.push(socket);
  }

  function send(worker: Worker, socket: Socket): void {
    lastId += 1;
    const id = lastId;
    const inTransit = seats.get(worker)?.inTransit;
    inTransit?.set(id, { socket, sentMs: performance.now() });
    const message: ToWorker = { kind: 'connection', id };
    // Kept open here: with a worker that is killed its copy is gone, and with it the connection, if that were the last.
    worker.send(message, socket, { keepOpen: true }, (error) => {
      if (error && inTransit?.delete(id)) pass(socket);
    });
  }

  return {
    pass,
    seat(worker) {
      seats.set(worker, { isTaking: true, open: 0, inTransit: new Map() });
      const first = waiting;
      waiting = [];
      for (const socket of first) pass(socket);
    },
    unseat(worker) {
      const seat = seats.get(worker);
      if (seat) seat.isTaking = false;
    },
    took(worker, id) {
      const seat = seats.get(worker);
      seat?.inTransit.get(id)?.socket.destroy();
      if (seat?.inTransit.delete(id)) seat.open += 1;
    },
    left(worker) {
      const seat = seats.get(worker);
      if (seat) seat.open -= 1;
    },
    lost(worker) {
      const seat = seats.get(worker);
      seats.delete(worker);
      for (const { socket } of seat?.inTransit.values() ?? []) pass(socket);
    },
    close() {
      isClosed = true;
      for (const socket of waiting) socket.destroy();
      waiting = [];
    },
  };
}

function leastBusy(seats: ReadonlyMap<Worker, Seat>): Worker | undefined {
  const nowMs = performance.now();
  let best: { worker: Worker; isStalled: boolean; load: number } | undefined;
  for (const [worker, { isTaking, open, inTransit }] of seats) {
    if (!isTaking || !worker.isConnected()) continue;
    const [oldest] = inTransit.values();
    const isStalled = oldest !== undefined && nowMs - oldest.sentMs > stalledMs;
    const load = open + inTransit.size;
    const isBetter = !best || (isStalled === best.isStalled ? load < best.load : best.isStalled);
    if (isBetter) best = { worker, isStalled, load };
  }
  return best?.worker;
}
