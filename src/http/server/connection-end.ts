import type { Socket } from 'node:net';
import type { OnRejected } from '../../telemetry/logs/rejections.ts';
import { type ErrorResponse, sendError, sendRawError } from '../error-response.ts';
import { connectionState, endInput, type GatewayResponse } from './gateway-response.ts';
import { onLastResponse } from './node-internals.ts';

/** How long a closing connection is still read. */
const lingerMs = 1000;

/**
 * Lets the client read the last response. To close a connection with unread input resets it, and a reset discards what
 * the client has not read yet.
 */
export function lingerAtEnd(socket: Socket): void {
  onLastResponse(socket, () => {
    endInput(socket);
    socket.end();
    const timeout = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timeout));
  });
}

/**
 * Ends a connection on which no further request can be read. The pending responses are sent first, then `error` as the
 * last one. It is the response to a partly received request, if there is one.
 */
export function rejectConnection(socket: Socket, error: ErrorResponse, onRejected: OnRejected): void {
  if (!socket.writable) socket.destroy();
  const { isOver, latest: res } = connectionState(socket);
  if (socket.destroyed || isOver) return;
  endInput(socket);
  if (res && !res.req.complete) rejectPartial(res, error);
  else if (res && !res.destroyed) res.once('close', () => rejectRest(socket, error, onRejected));
  else rejectRest(socket, error, onRejected);
}

function rejectPartial(res: GatewayResponse, error: ErrorResponse): void {
  const { req } = res;
  // Node forgets a request that has its response: without this its reader would wait for the rest.
  req.socket.once('close', () => req.destroy());
  if (res.destroyed) req.socket.destroySoon();
  // It may be queued behind another response, which would be lost.
  else if (res.headersSent) res.once('close', () => req.socket.destroySoon());
  else sendError(res, error);
}

function rejectRest(socket: Socket, error: ErrorResponse, onRejected: OnRejected): void {
  if (socket.writable) sendRawError(socket, error, onRejected);
  socket.destroySoon();
}
