import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { plantKeys } from '../../support/canary.ts';
import { type RawResponse, type ReceivedBytes, responsesFrom } from '../../support/raw-responses.ts';

/** A connection on which the test writes every byte, one per character. */
export interface Line {
  readonly isOpen: boolean;
  /** Writes in so many pieces, and reads so many responses; to the end, where the last one closes the connection. */
  say(wire: string, answers: number, pieces?: number): Promise<Said>;
  /** Destroys the connection. */
  hangUp(): void;
}

/** The responses, and the informational ones, such as `HTTP/1.1 100 Continue`. */
export interface Said {
  interim: string[];
  answers: RawResponse[];
}

/** Longer than any response takes. */
const LONGEST_WAIT_MS = 60_000;

export async function openLine(origin: string): Promise<Line> {
  const { port, hostname } = new URL(origin);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  let heard: ReceivedBytes = { bytes: '', isEnded: false };
  let tell = () => {};
  socket.setEncoding('latin1').on('data', (text: string) => {
    heard.bytes += text;
    tell();
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    heard.isEnded = true;
    tell();
  });
  await once(socket, 'connect');
  return {
    get isOpen() {
      return !heard.isEnded;
    },
    async say(wire, answers, pieces = 1) {
      const { expectAbsent } = plantKeys(origin, ...keysIn(wire));
      heard = { bytes: '', isEnded: heard.isEnded };
      const all = new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => {
          socket.destroy();
          reject(new Error(`No whole answer within ${LONGEST_WAIT_MS} ms: ${heard.bytes}`));
        }, LONGEST_WAIT_MS);
        tell = () => {
          if (!isAllOf(heard, answers)) return;
          clearTimeout(late);
          resolve();
        };
      });
      for (const piece of inPieces(wire, pieces)) {
        socket.write(piece, 'latin1');
        if (pieces > 1) await immediate();
      }
      await all;
      expectAbsent(heard.bytes);
      return {
        interim: heard.bytes.match(/HTTP\/1\.1 1\d\d [^\r]*(?=\r\n\r\n)/g) ?? [],
        answers: responsesFrom(heard),
      };
    },
    hangUp: () => void socket.destroy(),
  };
}

function isAllOf(heard: ReceivedBytes, answers: number): boolean {
  if (heard.isEnded) return true;
  const whole = responsesFrom(heard).filter(({ isWhole }) => isWhole);
  return whole.length >= answers && whole.at(-1)?.fields.get('connection') !== 'close';
}

function inPieces(wire: string, count: number): string[] {
  const length = Math.ceil(wire.length / count);
  return Array.from({ length: count }, (_, n) => wire.slice(n * length, (n + 1) * length));
}

function keysIn(wire: string): string[] {
  return [...wire.matchAll(/^x-api-key:[ \t]*(.+?)\r?$/gim)].map(([, key = '']) => key);
}
