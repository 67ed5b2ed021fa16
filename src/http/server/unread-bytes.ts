import type { Socket } from 'node:net';
import type { GatewayResponse } from './gateway-response.ts';
import { heldBytes, writeProgress } from './node-internals.ts';

/** The pending responses of a connection, and the progress of its client in reading them. */
export interface PendingResponses {
  readonly socket: Socket;
  /** In their order. An array: entries of a Set that changes all the time stay reachable through its old tables. */
  readonly responses: GatewayResponse[];
  /** Response bytes in memory, as of the last count. */
  unreadBytes: number;
  /** The `writeProgress` of the socket when it was last read, and the time of its last change. */
  progress: string;
  progressMs: number;
}

export function createPendingResponses(socket: Socket): PendingResponses {
  return { socket, responses: [], unreadBytes: 0, progress: '', progressMs: 0 };
}

/** The response bytes that clients have not read yet, over all connections of a server, and their limit. */
export interface UnreadBytes {
  /** Counts them now. */
  count(): number;
  /** Whether they exceed the limit even after the slowest readers are closed. */
  isOver(): boolean;
  /** To be called after a write to `res`. Closes the slowest readers while the sum is over the limit. */
  update(pending: PendingResponses, res: GatewayResponse): void;
  /** To be called when a connection is closed. */
  delete(pending: PendingResponses): void;
}

/** How long the connection that was last written to may hold a single response that is over the limit by itself. */
const graceMs = 1000;

/**
 * Keeps the sum within `limit` and one response. Closes the most expensive readers first: those with the largest product
 * of unread bytes and time since they last read a byte.
 * @param onClose is called for each reader that is closed
 */
export function createUnreadBytes(limit: number, onClose: () => void): UnreadBytes {
  const holders = new Set<PendingResponses>();
  let sum = 0;
  let latest: { pending: PendingResponses; res: GatewayResponse; writtenMs: number } | undefined;

  function recount(pending: PendingResponses): void {
    const bytes = unreadOf(pending);
    sum += bytes - pending.unreadBytes;
    pending.unreadBytes = bytes;
    if (bytes > 0) holders.add(pending);
    else holders.delete(pending);
  }

  function remove(pending: PendingResponses): void {
    sum -= pending.unreadBytes;
    pending.unreadBytes = 0;
    holders.delete(pending);
    if (latest?.pending === pending) latest = undefined;
  }

  function count(): number {
    for (const pending of [...holders]) recount(pending);
    return sum;
  }

  function close(pending: PendingResponses): void {
    remove(pending);
    pending.socket.destroy();
    onClose();
  }

  function closeSlowest(): void {
    if (count() <= limit) return;
    const nowMs = performance.now();
    const costs = new Map<PendingResponses, number>();
    for (const pending of holders) costs.set(pending, pending.unreadBytes * stalledMs(pending, nowMs));
    const written = latest;
    const slowestFirst = [...costs].sort(
      ([a, aCost], [b, bCost]) => bCost - aCost || b.unreadBytes - a.unreadBytes,
    );
    for (const [pending] of slowestFirst) {
      if (sum <= limit) return;
      if (pending !== written?.pending) close(pending);
    }
    if (!written || sum <= limit) return;
    const isOneResponse = sum - written.res.bodyBytes <= limit;
    if (!isOneResponse || nowMs - written.writtenMs >= graceMs) close(written.pending);
  }

  return {
    count,
    isOver() {
      if (sum > limit) closeSlowest();
      return sum > limit;
    },
    update(pending, res) {
      // The operating system has taken all of it, as with most responses, or the connection is gone.
      if (res.socket?.writableLength === 0 || pending.socket.destroyed) return;
      const before = pending.unreadBytes;
      recount(pending);
      if (pending.unreadBytes === 0) return;
      const writtenMs = performance.now();
      if (before === 0) stalledMs(pending, writtenMs);
      latest = { pending, res, writtenMs };
      if (sum > limit) closeSlowest();
    },
    delete: remove,
  };
}

/** Milliseconds since the client was last seen to take a byte of its responses; 0 where none is unread. */
export function stalledMs(pending: PendingResponses, nowMs: number): number {
  const progress = writeProgress(pending.socket);
  if (progress === '' || progress !== pending.progress) pending.progressMs = nowMs;
  pending.progress = progress;
  return nowMs - pending.progressMs;
}

/** The bytes that the socket holds, and those of responses that are queued behind another one. */
function unreadOf({ socket, responses }: PendingResponses): number {
  let bytes = heldBytes(socket);
  // The length of a response includes that of its socket, once it has one.
  for (const { socket: own, writableLength } of responses)
    bytes += writableLength - (own?.writableLength ?? 0);
  return bytes;
}
