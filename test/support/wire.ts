import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { plantKeys } from './canary.ts';

export interface WireRequest {
  method?: string;
  path?: string;
  /** A list sends a header line for each of its values. */
  headers?: Record<string, string | string[]>;
  body?: string | Buffer | undefined;
}

interface WireResponse {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One request through `node:http`, which sends what `fetch` would refuse to. */
export async function send(
  origin: string,
  { method = 'POST', path = '/graphql', headers = {}, body }: WireRequest,
) {
  const { expectAbsent } = plantKeys(origin, ...keysIn(headers));
  const req = request(`${origin}${path}`, { method, headers, agent: false });
  req.end(body);
  const [res] = await once(req, 'response');
  const response: WireResponse = { status: res.statusCode, headers: res.headers, body: await text(res) };
  expectAbsent(JSON.stringify(response));
  return response;
}

/** Writes these bytes on a connection of its own and reads until the other side closes it. */
export async function sendRaw(origin: string, bytes: string): Promise<string> {
  const { port, hostname } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.write(bytes, 'latin1');
  const { expectAbsent } = plantKeys(origin, ...keysWritten(bytes));
  const response = await text(socket);
  expectAbsent(response);
  return response;
}

function keysIn(headers: NonNullable<WireRequest['headers']>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'x-api-key' ? value : [],
  );
}

function keysWritten(bytes: string): string[] {
  return [...bytes.matchAll(/^x-api-key:[ \t]*(.+?)\r?$/gim)].map(([, key = '']) => key);
}

/**
 * A connection on which the test says every byte itself; it is gone when the test is. One that is `stubborn` stays
 * open when the other side has said all it has to say.
 */
export async function openWire(origin: string, form?: 'stubborn') {
  const { port, hostname } = new URL(origin);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: form === 'stubborn' });
  let received = '';
  socket.setEncoding('latin1').on('data', (more: string) => (received += more));
  const closed = new Promise<string>((resolve) => {
    // One that is reset is closed too; what was read until then is what counts.
    socket.on('error', () => {}).once('close', () => resolve(received));
  });
  const planted: ReturnType<typeof plantKeys>[] = [];
  onTestFinished(() => {
    socket.destroy();
    for (const { expectAbsent } of planted) expectAbsent(received);
  });
  await once(socket, 'connect');
  return {
    write(bytes: string) {
      planted.push(plantKeys(origin, ...keysWritten(bytes)));
      socket.write(bytes, 'latin1');
    },
    end: () => void socket.end(),
    /** All that came, once that holds `pattern`; fails when the connection is closed first. */
    async read(pattern: RegExp): Promise<string> {
      while (!pattern.test(received)) {
        const isOver = await Promise.race([once(socket, 'data').then(() => false), closed.then(() => true)]);
        if (isOver && !pattern.test(received)) throw new Error(`closed before ${pattern}: ${received}`);
      }
      return received;
    },
    /** All that came, once the connection is closed. */
    closed,
    /** Lets what comes lie, until it is called again with `true`. */
    listen: (isListening: boolean) => void (isListening ? socket.resume() : socket.pause()),
  };
}

/** An HTTP request as it stands on the wire: a request line, header lines, a body. */
export function wireOf(line: string, fields: Record<string, string>, body = ''): string {
  const all = { host: 'gateway.test', ...fields };
  return [`${line} HTTP/1.1`, ...Object.entries(all).map((pair) => pair.join(': ')), '', body].join('\r\n');
}

/** The body of a GraphQL request. */
export function bodyOf(query: string, rest: object = {}): string {
  return JSON.stringify({ query, ...rest });
}

export const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json' };
