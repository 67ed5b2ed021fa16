import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface WireRequest {
  method?: string;
  path?: string;
  /** A list sends a header line for each of its values. */
  headers?: Record<string, string | string[]>;
  body?: string | Buffer | undefined;
}

interface WireAnswer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One request through `node:http`, which sends what `fetch` would refuse to. */
export async function send(
  origin: string,
  { method = 'POST', path = '/graphql', headers = {}, body }: WireRequest,
) {
  const req = request(`${origin}${path}`, { method, headers, agent: false });
  req.end(body);
  const [res] = await once(req, 'response');
  return { status: res.statusCode, headers: res.headers, body: await text(res) } as WireAnswer;
}

/** Writes these bytes on a connection of its own and reads until the other side closes it. */
export async function sendRaw(origin: string, bytes: string): Promise<string> {
  const { port, hostname } = new URL(origin);
  const socket = connect(Number(port), hostname);
  socket.write(bytes, 'latin1');
  return text(socket);
}

/** The body of a GraphQL request. */
export function bodyOf(query: string, rest: object = {}): string {
  return JSON.stringify({ query, ...rest });
}

export const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json' };
