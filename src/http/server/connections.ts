import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { shuttingDown } from '../../errors.ts';
import type { OnRejected } from '../../telemetry/logs/rejections.ts';
import { type ErrorResponse, sendError, serviceOverloaded } from '../error-response.ts';
import { rejectConnection } from './connection-end.ts';
import type { GatewayResponse } from './gateway-response.ts';
import { closeAfter, keepIdleConnections } from './node-internals.ts';
import {
  createPendingResponses,
  createUnreadBytes,
  type PendingResponses,
  stalledMs,
  type UnreadBytes,
} from './unread-bytes.ts';

/** Pending responses that one connection may have. No client pipelines so many requests. */
const maxPending = 32;
const checkMs = 1000;

/** The open connections of a server, each with its pending responses. */
export interface Connections {
  /** Adds a pending response; false where its connection has the maximum already. */
  add(res: GatewayResponse): boolean;
  readonly size: number;
  readonly unread: UnreadBytes;
  /** The requests with a pending response. */
  requests(): Iterable<IncomingMessage>;
  /**
   * From now on a connection ends when it has no pending response; one with a partly received request is rejected. To be
   * called before the server's own `close`, which would end connections whose last response is written but not read.
   */
  close(): void;
  /** Ends the streams; from now on the next response of a connection is its last. Rejects nothing, and closes no idle connection. */
  endKeepAlive(): void;
  /** A number that changes when input arrives on a connection without a pending response. */
  activity(): number;
  /** Destroys the connections without a pending response. */
  closeIdle(): void;
  /** Sends 503 where no response has begun, and destroys all connections. Returns the number of pending responses. */
  destroyAll(): number;
}

const drained: ErrorResponse = { ...serviceOverloaded, message: shuttingDown().message };

export interface ConnectionsOptions {
  /** Time limit for a stalled response write: a client that takes no byte for so long is disconnected. */
  timeoutMs: number;
  maxUnreadBytes: number;
  /** Called for each connection that is closed for `maxUnreadBytes`. */
  onSlow(): void;
  onRejected: OnRejected;
}

export function createConnections(
  server: Server<typeof IncomingMessage, typeof GatewayResponse>,
  { timeoutMs, maxUnreadBytes, onSlow, onRejected }: ConnectionsOptions,
): Connections {
  const open = new Map<Socket, PendingResponses>();
  const unread = createUnreadBytes(maxUnreadBytes, onSlow);
  const onWrite = (res: GatewayResponse) => {
    const pending = open.get(res.req.socket);
    if (pending) unread.update(pending, res);
  };
  let isClosing = false;
  let isLastResponse = false;
  const closeIdle = () => {
    for (const [socket, { responses }] of open) if (responses.length === 0) socket.destroy();
  };
  const endStreams = () => {
    for (const { responses } of open.values()) {
      for (const res of [...responses]) {
        res.isDraining = true;
        res.onDrain?.();
      }
    }
  };

  server.on('connection', (socket) => {
    const pending = createPendingResponses(socket);
    open.set(socket, pending);
    socket.once('close', () => {
      open.delete(socket);
      unread.delete(pending);
      // A response that is queued behind another one gets no event when the connection closes.
      for (const { disconnected } of pending.responses) disconnected.abort(disconnectedError);
    });
  });
  const timer = setInterval(
    () => {
      const nowMs = performance.now();
      for (const pending of open.values()) {
        if (stalledMs(pending, nowMs) >= timeoutMs) pending.socket.destroy();
      }
    },
    Math.min(checkMs, timeoutMs),
  );
  timer.unref();
  server.once('close', () => clearInterval(timer));

  return {
    unread,
    add(res) {
      const { socket } = res.req;
      const responses = open.get(socket)?.responses;
      if (!responses || responses.length >= maxPending) return false;
      responses.push(res);
      res.onWrite = onWrite;
      if (isLastResponse) closeAfter(res);
      res.isDraining = isLastResponse;
      res.once('close', () => {
        res.disconnected.abort(disconnectedError);
        responses.splice(responses.indexOf(res), 1);
        if (isClosing && responses.length === 0) socket.destroySoon();
      });
      return true;
    },
    get size() {
      return open.size;
    },
    *requests() {
      for (const { responses } of open.values()) for (const { req } of responses) yield req;
    },
    close() {
      isClosing = isLastResponse = true;
      endStreams();
      keepIdleConnections(server);
      closeIdle();
      for (const [socket, { responses }] of open) {
        if (responses.some(({ req }) => !req.complete)) rejectConnection(socket, drained, onRejected);
      }
    },
    endKeepAlive() {
      isLastResponse = true;
      endStreams();
      // Responses that are queued behind the last one would be lost.
      for (const { responses } of open.values()) {
        const last = responses.at(-1);
        if (last) closeAfter(last);
      }
    },
    activity() {
      let activity = 0;
      for (const [{ bytesRead }, { responses }] of open)
        if (responses.length === 0) activity += 1 + bytesRead;
      return activity;
    },
    closeIdle,
    destroyAll() {
      const pending = [...open.values()].flatMap(({ responses }) => responses);
      for (const res of pending) if (!res.headersSent) sendError(res, drained);
      for (const socket of open.keys()) socket.destroy();
      return pending.length;
    },
  };
}

const disconnectedError = () => new Error('The client has its response, or disconnected.');
