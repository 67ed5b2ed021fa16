import { buildConnector, Client } from 'undici';
import manifest from '../../package.json' with { type: 'json' };
import { BodyRoom } from './bodies.ts';
import { notify, type Send, type UpstreamRequest } from './call.ts';
import { Exchange, type ExchangeOptions } from './exchange.ts';

export interface TransportOptions extends ExchangeOptions {
  /** Base address; the path of a call is appended to its own. */
  url: URL;
  /** The time to open a connection. The layer `retry` ends a call after the same time: undici's own timeouts are off. */
  timeoutMs: number;
  maxConnectionAgeMs: number;
  /** The bytes of large bodies that are read, or held by operations, at a time. */
  bodyRoomBytes: number;
}

/** One connection to the REST API, for one request at a time. It is opened, and opened again, by undici. */
interface Connection {
  readonly client: Client;
  /** After this time it takes no request. */
  readonly expiresAtMs: number;
  /** The request that makes it busy. */
  request: UpstreamRequest | undefined;
}

/**
 * The last of the stack: sends a GET; an `Exchange` reads the whole response. It follows no redirect: the key would go there.
 * A connection is taken, dispatches its request, and is free again at `drain`, as is the permit of the request. The fair
 * queue limits how many there are.
 */
export function createTransport(options: TransportOptions) {
  const { url, timeoutMs, maxConnectionAgeMs } = options;
  const basePath = url.pathname.replace(/\/+$/, '');
  const room = new BodyRoom(Math.max(options.bodyRoomBytes, options.maxUpstreamBytes));
  const connect = buildConnector({ timeout: timeoutMs });
  const all = new Set<Connection>();
  /** Kept open between calls. The one that was used last is used first: the others may become idle. */
  const free: Connection[] = [];

  function open(): Connection {
    const client = new Client(url.origin, { connect });
    // Those that were opened together do not all expire together.
    const ageMs = maxConnectionAgeMs * (1 - Math.random() / 4);
    const connection: Connection = { client, expiresAtMs: performance.now() + ageMs, request: undefined };
    all.add(connection);
    // A request makes its connection busy, until it has its outcome and the socket can take another.
    client.on('drain', () => release(connection));
    return connection;
  }

  function take(): Connection {
    for (let connection = free.pop(); connection; connection = free.pop()) {
      if (performance.now() < connection.expiresAtMs) return connection;
      all.delete(connection);
      void connection.client.close();
    }
    return open();
  }

  function release(connection: Connection): void {
    const { request } = connection;
    if (!request) return;
    connection.request = undefined;
    free.push(connection);
    request.permit?.release();
  }

  const send: Send = (request, done) => {
    const { caller, target, signal } = request;
    if (signal.aborted) return done(signal.reason);
    const traceparent = caller.onSend && notify(caller.onSend, target.path);
    const path = basePath + target.path;
    const headers = headersOf(request, traceparent);
    const connection = take();
    const exchange = new Exchange(options, room, request, done);
    connection.request = request;
    request.isSent = true;
    signal.addEventListener('abort', exchange.onAbort);
    connection.client.dispatch({ method: 'GET', path, headers, headersTimeout: 0, bodyTimeout: 0 }, exchange);
    // The dispatch failed at once, so undici will emit no 'drain'.
    if (exchange.isOver) release(connection);
  };

  const close = () => Promise.all([...all].map(({ client }) => client.destroy()));
  return { send, close };
}

const json = 'application/json';
const agent = `portico/${manifest.version}`;

/** Names and values in turn. */
function headersOf({ caller: { key } }: UpstreamRequest, traceparent: string | undefined): string[] {
  // Without `accept-encoding` a server may send any coding (RFC 9110, 12.5.3), and nothing here decodes one. Common
  // firewall rules block a request without `user-agent`.
  const headers = ['accept', json, 'accept-encoding', 'identity', 'user-agent', agent, 'x-api-key', key.text];
  if (traceparent !== undefined) headers.push('traceparent', traceparent);
  return headers;
}
