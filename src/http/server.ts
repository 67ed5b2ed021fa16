import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { CoreConfig } from '../config/core.ts';
import type { Gauge } from '../observers/gauges.ts';
import type { OnRejected } from '../observers/observer.ts';
import { Aborter } from '../rest/abort.ts';
import { shuttingDown } from '../schema/errors.ts';
import { Connection } from './connection.ts';
import { closePort, openPort } from './port.ts';
import { framingError, maxHeaderBytes, parserError } from './request.ts';
import { GatewayResponse, type LateFields, sendError } from './response.ts';
import { slowestReaders, unreadBytes } from './slow-readers.ts';
import { announceKeepAlive, GatewayRequest } from './socket/node-internals.ts';

export type Listener = (req: IncomingMessage, res: GatewayResponse) => void;

interface ServerOptions
  extends Pick<CoreConfig, 'host' | 'port' | 'edge' | 'requestTimeoutMs' | 'maxUnreadBytes'> {
  onRejected?: OnRejected;
  /** Each sets header fields of every response. */
  responseFields?: readonly ((req: IncomingMessage, res: GatewayResponse) => void)[];
  lateFields?: readonly LateFields[];
}

const checkMs = 1000;
const minCheckMs = 50;

const drainCheckMs = 25;
/** While a server drains, connections without a pending response are idle after as many checks without input. */
const quietChecks = 8;

const closedBecause = (reason: string) => ({
  status: null,
  requestId: null,
  message: `The connection was closed: ${reason}.`,
});

/** An HTTP server with error responses in one format. `start` opens its port. */
export function createServer(options: ServerOptions) {
  const { edge, requestTimeoutMs, maxUnreadBytes, onRejected = () => {}, responseFields = [] } = options;
  const { keepAliveMs } = edge;
  const open = new Map<Socket, Connection>();
  const draining = new Aborter();

  const server = createHttpServer({
    IncomingMessage: GatewayRequest as typeof IncomingMessage,
    ServerResponse: GatewayResponse,
    // The handler rejects a request without a Host field, like one with an invalid one.
    requireHostHeader: false,
    maxHeaderSize: maxHeaderBytes,
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    // Node detects timeouts only at these intervals.
    connectionsCheckingInterval: Math.min(1000, Math.ceil(requestTimeoutMs / 4)),
    // `checkConnections` closes the idle ones: Node would start a timer for each response.
    keepAliveTimeout: 0,
  });
  server.maxConnections = edge.maxConnections;
  // Node drops the fields beyond this number, and with them a second key. Their size is limited.
  server.maxHeadersCount = 0;
  server.on('drop', () => onRejected(closedBecause('MAX_CONNECTIONS is reached')));
  server.on('connection', (socket) => {
    open.set(socket, new Connection(socket));
    socket.once('close', () => open.delete(socket));
  });
  server.on('clientError', (error, socket: Socket) => {
    open.get(socket)?.reject(parserError(error), onRejected);
  });

  /** Returns true if the request is for the listener. Otherwise it has its response already, or gets none. */
  function prepare(req: IncomingMessage, res: GatewayResponse): boolean {
    if (!open.get(req.socket)?.add(res)) return false;
    res.onRejected = onRejected;
    res.onLarge = closeSlowReaders;
    if (options.lateFields) res.lateFields = options.lateFields;
    res.draining = draining;
    if (draining.aborted) res.shouldKeepAlive = false;
    announceKeepAlive(res, keepAliveMs);
    for (const setFields of responseFields) setFields(req, res);
    const error = framingError(req);
    if (error) sendError(res, error);
    return !error;
  }

  /** Opens the port. Resolves to `http://host:port`, without a trailing slash; rejects if it is not available. */
  async function start(listener: Listener): Promise<string> {
    server.on('request', (req, res) => {
      if (prepare(req, res)) listener(req, res);
    });
    const everyMs = Math.min(checkMs, requestTimeoutMs, Math.max(keepAliveMs, minCheckMs));
    const timer = setInterval(checkConnections, everyMs).unref();
    server.once('close', () => clearInterval(timer));
    return openPort(server, options);
  }

  /** Disconnects clients that stop reading for the time of a request, and those idle for `KEEP_ALIVE_MS`. */
  function checkConnections(): void {
    const nowMs = performance.now();
    for (const connection of open.values()) {
      const limitMs = connection.socket.writableLength > 0 ? requestTimeoutMs : keepAliveMs;
      if (connection.quietMs(nowMs) >= limitMs) connection.socket.destroy();
    }
    closeSlowReaders();
  }

  function closeSlowReaders(bytes = 0, current?: Socket): void {
    for (const socket of slowestReaders([...open.values()], maxUnreadBytes, bytes, current)) {
      socket.destroy();
      onRejected(closedBecause('its client did not read its responses'));
    }
  }

  /**
   * Closes the port, responds to the active requests and to those that still arrive over open connections, each with
   * `Connection: close`, and closes the other connections once no input has arrived for a while, or after half of the
   * time. Destroys all connections after `timeoutMs`. Resolves to the number of responses that were pending then.
   */
  async function drain(timeoutMs: number): Promise<number> {
    const halfMs = performance.now() + timeoutMs / 2;
    // First, so that a client with `Connection: close` does not connect again and wait while the port closes.
    await closePort(server, timeoutMs / 2);
    draining.abort(() => shuttingDown());
    for (const { responses } of open.values()) {
      // Responses that are queued behind a last one would be lost.
      const last = responses.at(-1);
      if (last && !last.headersSent) last.shouldKeepAlive = false;
    }

    let before = '';
    let quietFor = 0;
    while (open.size > 0 && performance.now() < halfMs + timeoutMs / 2) {
      await delay(drainCheckMs);
      // Timers run before I/O: on a busy machine input that has arrived meanwhile is not read yet.
      await turn();
      // Unlike in Node's `closeIdleConnections`, those without a request are idle too.
      const idle = [...open].flatMap(([socket, { responses }]) => (responses.length === 0 ? socket : []));
      const received = idle.map(({ bytesRead }) => bytesRead).join();
      quietFor = received === before ? quietFor + 1 : 0;
      before = received;
      // The other half is for the requests that are active by then.
      const isHalfOver = performance.now() >= halfMs;
      if (isHalfOver || quietFor >= quietChecks) for (const socket of idle) socket.destroy();
    }
    const pending = [...open.values()].flatMap(({ responses }) => responses);
    for (const res of pending) if (!res.headersSent) sendError(res, shuttingDown());
    for (const socket of open.keys()) socket.destroy();
    // This also stops Node's timeout checks, which the drain needs until here.
    server.close();
    return pending.length;
  }

  /** The API keys of the active requests, valid or not. No log line may hold them. */
  function secrets(): string[] {
    const requests = [...open.values()].flatMap(({ responses }) => responses.map(({ req }) => req));
    return requests.flatMap(({ headers }) => headers['x-api-key'] || []);
  }

  return {
    start,
    drain,
    secrets,
    gauges: [
      { name: 'portico_connections', help: 'Open client connections', read: () => open.size },
      {
        name: 'portico_unread_response_bytes',
        help: 'Response bytes that clients have not read yet',
        read: () => unreadBytes(open.values()),
      },
    ] satisfies Gauge[],
  };
}
