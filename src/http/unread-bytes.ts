import type { Socket } from 'node:net';
import type { Gauge } from '../gauges.ts';
import type { Connection } from './connection.ts';
import type { GatewayResponse } from './response.ts';
import { handleOf } from './socket/node-internals.ts';

/** How long the connection last written to may hold a single response that is over the limit by itself. */
const graceMs = 1000;

/**
 * The response bytes that clients have not read yet, over all connections of a server. Keeps their sum within
 * `limit` and one response: closes the most expensive readers first, those with the largest product of unread
 * bytes and time since they last read a byte.
 */
export class UnreadBytes {
  /** The number of readers that were closed. */
  closed = 0;
  readonly #limit: number;
  readonly #onClose: () => void;
  readonly #holders = new Set<Connection>();
  #sum = 0;
  #latest: { connection: Connection; res: GatewayResponse; writtenMs: number } | undefined;

  /** @param onClose is called for each reader that is closed */
  constructor(limit: number, onClose: () => void) {
    this.#limit = limit;
    this.#onClose = onClose;
  }

  get gauges(): Gauge[] {
    return [
      {
        name: 'portico_unread_response_bytes',
        help: 'Response bytes that clients have not read yet',
        read: () => this.count(),
      },
      {
        name: 'portico_slow_readers_closed_total',
        help: 'Connections closed because MAX_UNREAD_BYTES of responses were unread',
        read: () => this.closed,
      },
    ];
  }

  /** Counts them now. */
  count(): number {
    for (const connection of [...this.#holders]) this.#recount(connection);
    return this.#sum;
  }

  /** Whether they exceed the limit even after the slowest readers are closed. */
  isOver(): boolean {
    if (this.#sum > this.#limit) this.#closeSlowest();
    return this.#sum > this.#limit;
  }

  /** To be called after a write to `res`. Closes the slowest readers while the sum is over the limit. */
  update(connection: Connection, res: GatewayResponse): void {
    // The operating system has taken all of it, as with most responses, or the connection is gone.
    if (res.socket?.writableLength === 0 || connection.socket.destroyed) return;
    const before = connection.unreadBytes;
    this.#recount(connection);
    if (connection.unreadBytes === 0) return;
    const writtenMs = performance.now();
    if (before === 0) stalledMs(connection, writtenMs);
    this.#latest = { connection, res, writtenMs };
    if (this.#sum > this.#limit) this.#closeSlowest();
  }

  /** To be called when a connection is closed. */
  delete(connection: Connection): void {
    this.#sum -= connection.unreadBytes;
    connection.unreadBytes = 0;
    this.#holders.delete(connection);
    if (this.#latest?.connection === connection) this.#latest = undefined;
  }

  #recount(connection: Connection): void {
    const bytes = unreadOf(connection);
    this.#sum += bytes - connection.unreadBytes;
    connection.unreadBytes = bytes;
    if (bytes > 0) this.#holders.add(connection);
    else this.#holders.delete(connection);
  }

  #closeSlowest(): void {
    if (this.count() <= this.#limit) return;
    const nowMs = performance.now();
    const costs = new Map<Connection, number>();
    for (const connection of this.#holders)
      costs.set(connection, connection.unreadBytes * stalledMs(connection, nowMs));
    const written = this.#latest;
    const slowestFirst = [...costs].sort(
      ([a, aCost], [b, bCost]) => bCost - aCost || b.unreadBytes - a.unreadBytes,
    );
    for (const [connection] of slowestFirst) {
      if (this.#sum <= this.#limit) return;
      if (connection !== written?.connection) this.#close(connection);
    }
    if (!written || this.#sum <= this.#limit) return;
    const isOneResponse = this.#sum - written.res.bodyBytes <= this.#limit;
    if (!isOneResponse || nowMs - written.writtenMs >= graceMs) this.#close(written.connection);
  }

  #close(connection: Connection): void {
    this.delete(connection);
    connection.socket.destroy();
    this.closed += 1;
    this.#onClose();
  }
}

/** Milliseconds since the client was last seen to take a byte of its responses; 0 where none is unread. */
export function stalledMs(connection: Connection, nowMs: number): number {
  const progress = progressOf(connection.socket);
  if (progress === '' || progress !== connection.progress) connection.progressMs = nowMs;
  connection.progress = progress;
  return nowMs - connection.progressMs;
}

/**
 * A text that changes with each byte that the operating system takes; empty where nothing is unread. A large
 * response is one write, and only the handle knows its progress.
 */
function progressOf(socket: Socket): string {
  const { bytesWritten, writableLength } = socket;
  return writableLength === 0 ? '' : `${bytesWritten - writableLength} ${handleOf(socket).writeQueueSize}`;
}

/** The bytes that the socket holds, and those of responses that are queued behind another one. */
function unreadOf({ socket, responses }: Connection): number {
  const { bytesWritten = 0, writeQueueSize } = handleOf(socket);
  // A write that the operating system has taken ends only in the next turn of the event loop.
  const isTaken = socket.writableLength > 0 && writeQueueSize === 0;
  let bytes = isTaken ? socket.bytesWritten - bytesWritten : socket.writableLength;
  // The length of a response includes that of its socket, once it has one.
  for (const { socket: own, writableLength } of responses)
    bytes += writableLength - (own?.writableLength ?? 0);
  return bytes;
}
