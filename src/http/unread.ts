import type { Socket } from 'node:net';
import type { Answer } from './connection.ts';

/** A connection, and how its client reads. */
export interface Reader {
  readonly socket: Socket;
  /** The responses that are due on it, in their order. */
  readonly answers: readonly Answer[];
  /** Response bytes that the process holds for it, as counted last. */
  unreadBytes: number;
  /** Another text after each byte that the client takes; empty where there is none to take. */
  progress: string;
  /** When `progress` changed last, as far as it was looked at. */
  progressMs: number;
}

export function createReader(socket: Socket, answers: Answer[]) {
  return { socket, answers, unreadBytes: 0, progress: '', progressMs: 0 } satisfies Reader;
}

/** The response bytes that clients have not taken yet, over all connections of a server, and their limit. */
export interface UnreadBytes {
  /** Their sum, counted now. */
  count(): number;
  /** Whether there are more than the limit even though the slowest readers are closed. */
  isOver(): boolean;
  /** To be called when more of `answer` was written. Closes the slowest readers while the sum is over the limit. */
  note(reader: Reader, answer: Answer): void;
  /** To be called when a connection is closed. */
  forget(reader: Reader): void;
}

/** How long the connection that was written to last may hold one response that is over the limit by itself. */
const graceMs = 1000;

/**
 * Holds the sum at `limit` and one response. The readers that cost most are closed first: those with the largest
 * product of the bytes that they hold and the time since they took one.
 * @param onClose is called for each reader that is closed
 */
export function createUnreadBytes(limit: number, onClose: () => void): UnreadBytes {
  const holders = new Set<Reader>();
  let sum = 0;
  let latest: { reader: Reader; answer: Answer; writtenMs: number } | undefined;

  function update(reader: Reader): void {
    const bytes = unreadOf(reader);
    sum += bytes - reader.unreadBytes;
    reader.unreadBytes = bytes;
    if (bytes > 0) holders.add(reader);
    else holders.delete(reader);
  }

  function forget(reader: Reader): void {
    sum -= reader.unreadBytes;
    reader.unreadBytes = 0;
    holders.delete(reader);
    if (latest?.reader === reader) latest = undefined;
  }

  function count(): number {
    for (const reader of [...holders]) update(reader);
    return sum;
  }

  function close(reader: Reader): void {
    forget(reader);
    reader.socket.destroy();
    onClose();
  }

  function closeSlowest(): void {
    if (count() <= limit) return;
    const nowMs = performance.now();
    const costs = new Map<Reader, number>();
    for (const reader of holders) costs.set(reader, reader.unreadBytes * stalledMs(reader, nowMs));
    const written = latest;
    const slowestFirst = [...costs].sort(
      ([a, aCost], [b, bCost]) => bCost - aCost || b.unreadBytes - a.unreadBytes,
    );
    for (const [reader] of slowestFirst) {
      if (sum <= limit) return;
      if (reader !== written?.reader) close(reader);
    }
    if (!written || sum <= limit) return;
    const isOneAnswer = sum - written.answer.bodyBytes <= limit;
    if (!isOneAnswer || nowMs - written.writtenMs >= graceMs) close(written.reader);
  }

  return {
    count,
    isOver() {
      if (sum > limit) closeSlowest();
      return sum > limit;
    },
    note(reader, answer) {
      // The system has taken all of it, as with most responses, or it goes nowhere.
      if (answer.socket?.writableLength === 0 || reader.socket.destroyed) return;
      const before = reader.unreadBytes;
      update(reader);
      if (reader.unreadBytes === 0) return;
      const writtenMs = performance.now();
      if (before === 0) stalledMs(reader, writtenMs);
      latest = { reader, answer, writtenMs };
      if (sum > limit) closeSlowest();
    },
    forget,
  };
}

/** For how long the client has taken no byte of its responses, as far as it was looked at; 0 where none is unread. */
export function stalledMs(reader: Reader, nowMs: number): number {
  const progress = progressOf(reader.socket);
  if (progress === '' || progress !== reader.progress) reader.progressMs = nowMs;
  reader.progress = progress;
  return nowMs - reader.progressMs;
}

/** As much of Node's handle of a socket as tells what the system has taken. */
interface Handle {
  /** Given to the handle. */
  bytesWritten?: number;
  /** Not yet taken from the handle by the system. */
  writeQueueSize?: number;
}

/** A large response is one write: how far that has come only the handle knows, which Node reads for its own timeouts. */
function progressOf(socket: Socket): string {
  const { bytesWritten, writableLength } = socket;
  return writableLength === 0 ? '' : `${bytesWritten - writableLength} ${handleOf(socket).writeQueueSize}`;
}

function handleOf(socket: Socket): Handle {
  return (socket as { _handle?: Handle | null })._handle ?? {};
}

/** In bytes: what the socket holds, and responses that wait behind another one. */
function unreadOf({ socket, answers }: Reader): number {
  let bytes = socket.writableLength;
  // A write that the system has taken is over only in the next turn of the event loop.
  const { bytesWritten, writeQueueSize } = handleOf(socket);
  if (bytes > 0 && writeQueueSize === 0) bytes = socket.bytesWritten - (bytesWritten ?? 0);
  // That of a response includes that of its socket, once it has one.
  for (const { socket: own, writableLength } of answers) bytes += writableLength - (own?.writableLength ?? 0);
  return bytes;
}
