import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config.ts';
import { openPort } from '../../port.ts';
import type { OnRejected } from '../../telemetry/logs/rejections.ts';
import { methodNotAllowed, sendError, serviceOverloaded } from '../error-response.ts';
import { createFields } from '../header-fields.ts';
import { toOriginForm } from '../target.ts';
import { lingerAtEnd, rejectConnection } from './connection-end.ts';
import { createConnections } from './connections.ts';
import { drain } from './drain.ts';
import { framingError, maxHeaderBytes, parserError } from './framing.ts';
import { accepts, GatewayResponse } from './gateway-response.ts';
import { closeAfter } from './node-internals.ts';
import type { UnreadBytes } from './unread-bytes.ts';

export interface Listening {
  /** `http://host:port`, without a trailing slash. */
  url: string;
  /** The number of open client connections. */
  connections(): number;
  /** The response bytes that clients have not read yet. */
  unread: Pick<UnreadBytes, 'count' | 'isOver'>;
  /** The number of connections that were closed for unread bytes. */
  closedUnread(): number;
  /** The API keys of the active requests, valid or not. No log line may hold them. */
  secrets(): Iterable<string>;
  /** Closes the port and the idle connections, and resolves once the active requests have their responses. */
  close(): Promise<void>;
  /**
   * Closes the port, and serves the open connections for at most `timeoutMs`. Resolves to the number of responses that
   * were pending then and are aborted.
   */
  drain(timeoutMs: number): Promise<number>;
}

/** Handles a well-formed request. */
export type Listener = (req: IncomingMessage, res: GatewayResponse) => void;

export interface ServerOptions extends Pick<Config, 'host' | 'port' | 'edge' | 'maxBodyBytes'> {
  onRejected?: OnRejected;
}

const closedBy = (setting: string) => ({
  status: null,
  requestId: null,
  message: `The connection was closed: ${setting} is reached.`,
});
const tooManyConnections = closedBy('MAX_CONNECTIONS');
const tooManyUnread = closedBy('MAX_UNREAD_BYTES');

/** Starts a server on a port (0: a free one). Rejects when the port is not available. */
export async function startServer(listener: Listener, options: ServerOptions): Promise<Listening> {
  const { edge, onRejected } = options;
  const { server, connections, closedUnread } = createHttpServer(options, listener);
  server.maxConnections = edge.maxConnections;
  server.on('drop', () => onRejected?.(tooManyConnections));
  const close = () =>
    new Promise<void>((resolve, reject) => {
      connections.close();
      server.close((error) => (error ? reject(error) : resolve()));
    });
  return {
    url: await openPort(server, options),
    connections: () => connections.size,
    unread: connections.unread,
    closedUnread,
    secrets: () => secretsOf(connections.requests()),
    close,
    drain: (timeoutMs) => drain(server, connections, timeoutMs),
  };
}

/** An HTTP server that sends its own error responses, in one format, also where Node would send its own or none. */
function createHttpServer({ edge, maxBodyBytes, onRejected = () => {} }: ServerOptions, listener: Listener) {
  const fieldsOf = createFields(edge);
  /** Whether the request is for the listener. Otherwise it has its response already, or gets none. */
  const prepare = (req: IncomingMessage, res: GatewayResponse): boolean => {
    if (!accepts(res)) return false;
    res.onRejected = onRejected;
    const isAdded = connections.add(res);
    const fields = fieldsOf(req);
    for (const name in fields) res.setHeader(name, fields[name] ?? '');
    if (!isAdded) closeAfter(res);
    const error = isAdded ? framingError(req) : serviceOverloaded;
    if (error) sendError(res, error);
    else toOriginForm(req);
    return !error;
  };
  const server = createServer({
    ServerResponse: GatewayResponse,
    // The listener rejects a request without a Host field, like one with an invalid one.
    requireHostHeader: false,
    maxHeaderSize: maxHeaderBytes,
    requestTimeout: edge.requestTimeoutMs,
    headersTimeout: edge.requestTimeoutMs,
    // Node detects timeouts only at these intervals.
    connectionsCheckingInterval: Math.min(1000, Math.ceil(edge.requestTimeoutMs / 4)),
    keepAliveTimeout: edge.keepAliveMs,
  });
  let closed = 0;
  const connections = createConnections(server, {
    timeoutMs: edge.requestTimeoutMs,
    maxUnreadBytes: edge.maxUnreadBytes,
    onSlow: () => {
      closed += 1;
      onRejected(tooManyUnread);
    },
    onRejected,
  });
  // Node drops the fields beyond this number, and with them a second key. Their size is limited.
  server.maxHeadersCount = 0;
  server.on('connection', lingerAtEnd);
  server.on('request', (req, res) => {
    if (prepare(req, res)) listener(req, res);
  });
  server.on('checkContinue', (req, res) => {
    if (!prepare(req, res)) return;
    // A body whose declared length is over the limit is rejected without being sent.
    if (!(Number(req.headers['content-length']) > maxBodyBytes)) res.writeContinue();
    listener(req, res);
  });
  server.on('checkExpectation', (req, res) => {
    if (prepare(req, res))
      sendError(res, { status: 417, message: 'The only supported Expect value is 100-continue.' });
  });
  server.on('clientError', (error, socket: Socket) => {
    // A preconnected socket without a request gets no response.
    if (socket.bytesRead === 0) socket.destroy();
    else rejectConnection(socket, parserError(error), onRejected);
  });
  server.on('connect', (_, socket: Socket) => {
    // Node no longer handles the errors of this socket.
    socket.on('error', () => {});
    rejectConnection(socket, methodNotAllowed, onRejected);
  });
  return { server, connections, closedUnread: () => closed };
}

function* secretsOf(requests: Iterable<IncomingMessage>): Generator<string> {
  for (const { headers } of requests) if (headers['x-api-key']) yield String(headers['x-api-key']);
}
