import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { plantKeys } from '../../support/canary.ts';
import { type RawResponse, type ReceivedBytes, responsesFrom } from '../../support/raw-responses.ts';
import { keysWritten } from '../../support/wire.ts';

/** A connection on which the test writes every byte, one per character. */
export interface Connection {
  readonly isOpen: boolean;
  /** Writes in so many pieces, and reads so many responses, or all if the last closes the connection. */
  exchange(wire: string, responses: number, pieces?: number): Promise<Exchange>;
  close(): void;
}

/** The responses, and the informational ones, such as `HTTP/1.1 100 Continue`. */
export interface Exchange {
  interim: string[];
  responses: RawResponse[];
}

/** Longer than any response takes. */
const LONGEST_WAIT_MS = 60_000;

export async function openConnection(origin: string): Promise<Connection> {
  const { port, hostname } = new URL(origin);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  let received: ReceivedBytes = { bytes: '', isEnded: false };
  let onReceived = () => {};
  socket.setEncoding('latin1').on('data', (text: string) => {
    received.bytes += text;
    onReceived();
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    received.isEnded = true;
    onReceived();
  });
  await once(socket, 'connect');
  return {
    get isOpen() {
      return !received.isEnded;
    },
    async exchange(wire, responses, pieces = 1) {
      const { expectAbsent } = plantKeys(origin, ...keysWritten(wire));
      received = { bytes: '', isEnded: received.isEnded };
      const all = new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => {
          socket.destroy();
          reject(new Error(`No complete response within ${LONGEST_WAIT_MS} ms: ${received.bytes}`));
        }, LONGEST_WAIT_MS);
        onReceived = () => {
          if (!isAllOf(received, responses)) return;
          clearTimeout(late);
          resolve();
        };
      });
      for (const piece of inPieces(wire, pieces)) {
        socket.write(piece, 'latin1');
        if (pieces > 1) await immediate();
      }
      await all;
      expectAbsent(received.bytes);
      return {
        interim: received.bytes.match(/HTTP\/1\.1 1\d\d [^\r]*(?=\r\n\r\n)/g) ?? [],
        responses: responsesFrom(received),
      };
    },
    close: () => void socket.destroy(),
  };
}

function isAllOf(received: ReceivedBytes, responses: number): boolean {
  if (received.isEnded) return true;
  const whole = responsesFrom(received).filter(({ isWhole }) => isWhole);
  return whole.length >= responses && whole.at(-1)?.fields.get('connection') !== 'close';
}

function inPieces(wire: string, count: number): string[] {
  const length = Math.ceil(wire.length / count);
  return Array.from({ length: count }, (_, n) => wire.slice(n * length, (n + 1) * length));
}
