import type { Socket } from 'node:net';
import type { Connection } from './connection.ts';
import { handleOf } from './socket/node-internals.ts';

/** The response bytes in memory, which the clients of these connections have not read. */
export function unreadBytes(connections: Iterable<Connection>): number {
  let sum = 0;
  for (const connection of connections) sum += heldBy(connection);
  return sum;
}

/** Those of the socket, and of responses that are queued behind another one. */
function heldBy({ socket, responses }: Connection): number {
  const { bytesWritten, writableLength, destroyed } = socket;
  if (destroyed) return 0;
  const handle = handleOf(socket);
  // A write that the operating system has taken ends only in the next turn of the event loop.
  const isTaken = handle.writeQueueSize === 0 && handle.bytesWritten !== undefined;
  const held = isTaken ? bytesWritten - Number(handle.bytesWritten) : writableLength;
  const queued = responses.filter((res) => !res.socket);
  return queued.reduce((bytes, res) => bytes + res.writableLength, held);
}

/** The sockets to close so that a response of `bytes` to `current` fits `most`: those with the most unread bytes. */
export function slowestReaders(open: Connection[], most: number, bytes: number, current?: Socket): Socket[] {
  let sum = bytes + unreadBytes(open);
  const slowest: Socket[] = [];
  if (sum <= most) return slowest;
  const readers = open.map((connection) => ({ connection, held: heldBy(connection) }));
  for (const { connection, held } of readers.sort((one, other) => other.held - one.held)) {
    if (sum <= most || held === 0) break;
    if (connection.socket === current) continue;
    // One response may be over the limit alone.
    if (held === sum && connection.responses.length === 1) break;
    sum -= held;
    slowest.push(connection.socket);
  }
  return slowest;
}
