import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Answer, refuseConnection } from './connection.ts';
import { type OnRejected, type Refusal, refuse, tooBusy } from './refusal.ts';
import { createReader, createUnreadBytes, type Reader, stalledMs, type UnreadBytes } from './unread.ts';

/** How many answers one connection may have due: no client asks for so many before it has read the first. */
const maxDue = 32;
const checkMs = 1000;

/** The open connections of a server, and the answers that are due on each. */
export interface Connections {
  /** Notes an answer that is to come; false where its connection has as many due as it may. */
  add(res: Answer): boolean;
  readonly size: number;
  readonly unread: UnreadBytes;
  /** The requests whose answers are due. */
  requests(): Iterable<IncomingMessage>;
  /**
   * From now on a connection ends when it has no answer due; one whose request is not whole is refused. To be called
   * before the server's own `close`, which would end connections whose last answer is written but not read.
   */
  close(): void;
  /** From now on the next answer of a connection is its last. Nothing is refused, and no idle connection ends. */
  leave(): void;
  /** Is another number than before where something has come over a connection on which no answer is due. */
  stir(): number;
  /** Ends the connections on which no answer is due. */
  closeIdle(): void;
  /** Ends all of them, those that wait with a 503 where no answer has begun. Returns how many waited. */
  cut(): number;
}

const closingRefusal: Refusal = {
  ...tooBusy,
  message: 'The gateway is shutting down. Retry after the Retry-After delay.',
};

export interface ConnectionsOptions {
  /** A client that takes no byte of its response for so long is disconnected, for the response is held until then. */
  patienceMs: number;
  maxUnreadBytes: number;
  /** Is called for each connection that is closed for `maxUnreadBytes`. */
  onSlow(): void;
  onRejected: OnRejected;
}

export function createConnections(
  server: Server<typeof IncomingMessage, typeof Answer>,
  { patienceMs, maxUnreadBytes, onSlow, onRejected }: ConnectionsOptions,
): Connections {
  const open = new Map<Socket, Reader & { answers: Answer[] }>();
  const unread = createUnreadBytes(maxUnreadBytes, onSlow);
  const noteWrite = (res: Answer) => {
    const reader = open.get(res.req.socket);
    if (reader) unread.note(reader, res);
  };
  let isClosing = false;
  let isLeaving = false;
  const closeIdle = () => {
    for (const [socket, { answers }] of open) if (answers.length === 0) socket.destroy();
  };

  server.on('connection', (socket) => {
    // No set of answers: what is added to one and deleted all the time stays in its old tables until the collector's
    // great round.
    const due = createReader(socket, []);
    open.set(socket, due);
    socket.once('close', () => {
      open.delete(socket);
      unread.forget(due);
      // An answer that waits behind another one does not hear of the connection's end.
      for (const { departure } of due.answers) departure.abort(departed);
    });
  });
  const watch = setInterval(
    () => {
      const nowMs = performance.now();
      for (const reader of open.values()) if (stalledMs(reader, nowMs) >= patienceMs) reader.socket.destroy();
    },
    Math.min(checkMs, patienceMs),
  );
  watch.unref();
  server.once('close', () => clearInterval(watch));

  return {
    unread,
    add(res) {
      const { socket } = res.req;
      const due = open.get(socket);
      if (!due || due.answers.length >= maxDue) return false;
      due.answers.push(res);
      res.onWrite = noteWrite;
      if (isLeaving) res.shouldKeepAlive = false;
      res.once('close', () => {
        res.departure.abort(departed);
        due.answers.splice(due.answers.indexOf(res), 1);
        if (isClosing && due.answers.length === 0) socket.destroySoon();
      });
      return true;
    },
    get size() {
      return open.size;
    },
    *requests() {
      for (const { answers } of open.values()) for (const { req } of answers) yield req;
    },
    close() {
      isClosing = isLeaving = true;
      server.closeIdleConnections = () => {};
      closeIdle();
      for (const [socket, { answers }] of open) {
        if (answers.some(({ req }) => !req.complete)) refuseConnection(socket, closingRefusal, onRejected);
      }
    },
    leave() {
      isLeaving = true;
      // Those that wait behind one that is the last would be lost.
      for (const { answers } of open.values()) {
        const last = answers.at(-1);
        if (last) last.shouldKeepAlive = false;
      }
    },
    stir() {
      let stir = 0;
      for (const [{ bytesRead }, { answers }] of open) if (answers.length === 0) stir += 1 + bytesRead;
      return stir;
    },
    closeIdle,
    cut() {
      const waiting = [...open.values()].flatMap(({ answers }) => answers);
      for (const res of waiting) if (!res.headersSent) refuse(res, closingRefusal);
      for (const socket of open.keys()) socket.destroy();
      return waiting.length;
    },
  };
}

const departed = () => new Error('The caller has his answer, or is gone.');
