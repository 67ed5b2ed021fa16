import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { plantKeys } from './canary.ts';
import { apiKey } from './gateway.ts';

export interface WireRequest {
  method?: string;
  path?: string;
  /** A list sends a header line for each of its values. */
  headers?: Record<string, string | string[]>;
  body?: string | Buffer | undefined;
}

export interface WireResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One request through `node:http`, which sends the path as it is, and fields that `fetch` rejects. */
export async function send(
  origin: string,
  { method = 'POST', path = '/graphql', headers = {}, body }: WireRequest,
) {
  const { expectAbsent } = plantKeys(origin, ...keysIn(headers));
  const req = request(origin, { path, method, headers, agent: false });
  req.end(body);
  const [res] = await once(req, 'response');
  const response: WireResponse = { status: res.statusCode ?? 0, headers: res.headers, body: await text(res) };
  expectAbsent(JSON.stringify(response));
  return response;
}

/** Writes these bytes on a new connection, and reads until the server closes it. */
export async function sendRaw(origin: string, bytes: string): Promise<string> {
  const wire = await openWire(origin);
  wire.write(bytes);
  return wire.closed;
}

function keysIn(headers: NonNullable<WireRequest['headers']>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'x-api-key' ? value : [],
  );
}

export function keysWritten(bytes: string): string[] {
  return [...bytes.matchAll(/^x-api-key:[ \t]*(.+?)\r?$/gim)].map(([, key = '']) => key);
}

/** A connection on which the test writes every byte; a `stubborn` one stays half open when the server ends. */
export async function openWire(origin: string, form?: 'stubborn') {
  const { port, hostname } = new URL(origin);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: form === 'stubborn' });
  let received = '';
  socket.setEncoding('latin1').on('data', (more: string) => (received += more));
  const closed = new Promise<string>((resolve) => {
    // A reset closes it too; the bytes read until then count.
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
    /** All bytes received, once they match `pattern`; rejects when the connection is closed first. */
    async read(pattern: RegExp): Promise<string> {
      while (!pattern.test(received)) {
        const isOver = await Promise.race([once(socket, 'data').then(() => false), closed.then(() => true)]);
        if (isOver && !pattern.test(received)) throw new Error(`closed before ${pattern}: ${received}`);
      }
      return received;
    },
    closed,
    /** Stops or resumes reading. */
    listen: (isListening: boolean) => void (isListening ? socket.resume() : socket.pause()),
  };
}

/** The bytes of an HTTP request: a request line, header lines, a body. */
export function wireOf(line: string, fields: Record<string, string>, body = ''): string {
  const all = { host: 'gateway.test', ...fields };
  return [`${line} HTTP/1.1`, ...Object.entries(all).map((pair) => pair.join(': ')), '', body].join('\r\n');
}

/** The body of a GraphQL request. */
export function bodyOf(query: string, rest: object = {}): string {
  return JSON.stringify({ query, ...rest });
}

export const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json' };

/** The bytes of a POST of a query with the key. */
export function postOf(query: string): string {
  const body = bodyOf(query);
  const fields = { ...jsonHeaders, 'x-api-key': apiKey, 'content-length': String(body.length) };
  return wireOf('POST /graphql', fields, body);
}
