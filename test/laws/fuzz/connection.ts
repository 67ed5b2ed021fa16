import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { type ReceivedBytes, responsesFrom } from '../../support/raw-responses.ts';

export interface Conversation {
  /** The writes, one byte per character. */
  writes: readonly string[];
  /** When the client closes: after the responses, after its last byte, or abruptly. */
  ending: 'complete' | 'half-closed' | 'destroyed' | 'reset';
  /** How many responses it waits for. */
  responses: number;
  /** How long the client waits when nothing arrives: its bytes may not be a complete request. */
  timeoutMs: number;
}

const LONGEST_CLOSING_MS = 60_000;

/** Sends the writes on a new connection, and returns what the server sent. */
export async function converse(
  origin: string,
  { writes, ending, responses, timeoutMs }: Conversation,
): Promise<ReceivedBytes> {
  const { port, hostname } = new URL(origin);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true, noDelay: true });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // The server may reset a connection.
  socket.on('error', () => {});
  const received: ReceivedBytes = { bytes: '', isEnded: false };
  const timer = setTimeout(() => socket.end(), timeoutMs);
  socket.setEncoding('latin1').on('data', (text: string) => {
    received.bytes += text;
    timer.refresh();
    if (ending === 'complete' && hasEnough(received, responses)) socket.end();
  });
  socket.once('end', () => {
    received.isEnded = !socket.writableEnded;
    socket.end();
  });

  for (const text of writes) {
    await write(socket, text);
    timer.refresh();
  }
  if (ending === 'half-closed') socket.end();
  // Node cannot reset a connection that it has begun to end.
  if (ending === 'destroyed' || (ending === 'reset' && socket.writableEnded)) socket.destroy();
  else if (ending === 'reset') socket.resetAndDestroy();
  await closedInTime(closed, socket);
  clearTimeout(timer);
  return received;
}

/** In a packet of its own, as far as the sender controls that. */
async function write(socket: Socket, text: string): Promise<void> {
  if (socket.connecting) await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  if (!socket.writable) return;
  await new Promise<void>((resolve) => {
    socket.once('close', resolve);
    socket.write(text, 'latin1', () => {
      socket.off('close', resolve);
      resolve();
    });
  });
  await immediate();
}

function hasEnough(received: ReceivedBytes, responses: number): boolean {
  try {
    return responsesFrom(received).filter(({ isWhole }) => isWhole).length >= responses;
  } catch {
    // The caller parses it again, and reports the error.
    return true;
  }
}

async function closedInTime(closed: Promise<void>, socket: Socket): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, LONGEST_CLOSING_MS, 'late');
  });
  const outcome = await Promise.race([closed, late]);
  clearTimeout(timer);
  if (outcome !== 'late') return;
  socket.destroy();
  throw new Error(`The connection was not closed within ${LONGEST_CLOSING_MS} ms.`);
}
