import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  requests: number;
  seconds: number;
  /** Milliseconds that one request of a hundred takes longer than. */
  p99Ms: number;
}

const HEAD_END = '\r\n\r\n';

/**
 * Keeps one request in flight on each of `connections` for `seconds`, over plain sockets, so that the asking
 * costs less than the answering. Rejects at the first answer that is not a 200.
 */
export async function runLoad(
  url: URL,
  key: string,
  connections: number,
  seconds: number,
  targetOf: () => string,
): Promise<Load> {
  const took: number[] = [];
  const started = performance.now();
  const deadline = started + seconds * 1000;
  const tail = ` HTTP/1.1\r\nhost: ${url.host}\r\nx-api-key: ${key}${HEAD_END}`;
  const talk = async () => {
    const socket = connect({ port: Number(url.port), host: url.hostname, noDelay: true });
    await once(socket, 'connect');
    await converse(socket, () => (performance.now() < deadline ? `GET ${targetOf()}${tail}` : null), took);
  };
  await Promise.all(Array.from({ length: connections }, talk));
  const elapsed = (performance.now() - started) / 1000;
  const sorted = Float64Array.from(took).sort();
  return { requests: took.length, seconds: elapsed, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
}

function converse(socket: Socket, next: () => string | null, took: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = '';
    let asked = 0;
    const ask = () => {
      const request = next();
      if (request === null) return resolve(void socket.end());
      asked = performance.now();
      socket.write(request, 'latin1');
    };
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('data', (chunk: string) => {
      heard = heard === '' ? chunk : heard + chunk;
      const end = heard.indexOf(HEAD_END);
      if (end < 0) return;
      if (!heard.startsWith('HTTP/1.1 200')) return reject(new Error(heard.slice(0, heard.indexOf('\r\n'))));
      const length = Number(/content-length: (\d+)/i.exec(heard)?.[1]);
      if (heard.length < end + HEAD_END.length + length) return;
      took.push(performance.now() - asked);
      heard = '';
      ask();
    });
    ask();
  });
}
