import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/*
 * Every use of behaviour that Node does not document stands in this file, in `GatewayResponse.writeComplete` and in
 * `closePort` (src/port.ts). Read them again for each new major version of Node; test/http shows whether they hold.
 */

/** The part of a socket's handle that Node itself reads for its timeouts. */
interface Handle {
  /** Passed to the handle. */
  bytesWritten?: number;
  /** Not yet taken from the handle by the operating system. */
  writeQueueSize?: number;
}

function handleOf(socket: Socket): Handle {
  return (socket as { _handle?: Handle | null })._handle ?? {};
}

/**
 * A text that changes with each byte that the operating system takes; empty where nothing is unread. A large response is
 * one write, and only the handle knows its progress.
 */
export function writeProgress(socket: Socket): string {
  const { bytesWritten, writableLength } = socket;
  return writableLength === 0 ? '' : `${bytesWritten - writableLength} ${handleOf(socket).writeQueueSize}`;
}

/** The bytes that a socket holds. A write that the operating system has taken ends only in the next turn of the event loop. */
export function heldBytes(socket: Socket): number {
  const { bytesWritten, writeQueueSize } = handleOf(socket);
  const isTaken = socket.writableLength > 0 && writeQueueSize === 0;
  return isTaken ? socket.bytesWritten - (bytesWritten ?? 0) : socket.writableLength;
}

/** Sends `Connection: close` with a response, and closes its connection after it. */
export function closeAfter(res: ServerResponse): void {
  res.shouldKeepAlive = false;
}

/** Calls `onEnd` in place of `destroySoon`, the method with which Node closes a connection after its last response. */
export function onLastResponse(socket: Socket, onEnd: () => void): void {
  socket.destroySoon = onEnd;
}

/** Reads and discards up to `maxBytes` of what the client still sends. */
export function discardInput(socket: Socket, maxBytes: number): void {
  let bytes = 0;
  socket.removeAllListeners('data');
  // A listener for 'data' makes Node detach its parser from the socket.
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) socket.pause();
  });
  setImmediate(() => {
    // The parser, which may be in the middle of a packet, pauses the socket while the request is not read. An empty push
    // ends the read that the stream believes to be pending, so that it starts another.
    socket.push('');
    socket.resume();
  });
}

/** Keeps `server.close` from destroying connections whose last response is written but not read. */
export function keepIdleConnections(server: { closeIdleConnections(): void }): void {
  server.closeIdleConnections = () => {};
}
