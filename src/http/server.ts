import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { CoreConfig } from '../config/core.ts';
import { shuttingDown } from '../errors.ts';
import type { Gauge } from '../gauges.ts';
import type { OnRejected } from '../observers/observer.ts';
import { closePort, openPort } from '../port.ts';
import { Connection } from './connection.ts';
import { framingError, maxHeaderBytes, parserError, toOriginForm } from './request.ts';
import {
  type ErrorResponse,
  GatewayResponse,
  methodNotAllowed,
  sendError,
  serviceOverloaded,
} from './response.ts';
import { announceKeepAlive, checkInternals, GatewayRequest } from './socket/node-internals.ts';
import { stalledMs, UnreadBytes } from './unread-bytes.ts';

/** Handles a well-formed request. */
export type Listener = (req: IncomingMessage, res: GatewayResponse) => void;

interface ServerOptions extends Pick<CoreConfig, 'host' | 'port' | 'edge' | 'maxBodyBytes'> {
  onRejected?: OnRejected;
  /** What sets header fields of each response. */
  responseFields?: readonly ((req: IncomingMessage, res: GatewayResponse) => void)[];
}

/** Pending responses that one connection may have. No client pipelines so many requests. */
const maxPending = 32;
const checkMs = 1000;
const minCheckMs = 50;

const drainCheckMs = 25;
/**
 * Connections without a pending response are idle after this time without input. Each check counts for at most
 * `drainCheckMs`: without CPU time, the event loop sees less time than passes.
 */
const quietMs = 200;

const drained: ErrorResponse = { ...serviceOverloaded, message: shuttingDown().message };
const unsupportedExpect: ErrorResponse = {
  status: 417,
  message: 'The only supported Expect value is 100-continue.',
};
const closedBy = (setting: string) => ({
  status: null,
  requestId: null,
  message: `The connection was closed: ${setting} is reached.`,
});

/** An HTTP server with error responses in one format, also where Node has its own or none. `start` opens its port. */
export function createServer(options: ServerOptions) {
  const { edge, maxBodyBytes, onRejected = () => {}, responseFields = [] } = options;
  const { requestTimeoutMs } = edge;
  const open = new Map<Socket, Connection>();
  const unread = new UnreadBytes(edge.maxUnreadBytes, () => onRejected(closedBy('MAX_UNREAD_BYTES')));
  const onWrite = (res: GatewayResponse) => {
    const connection = open.get(res.req.socket);
    if (connection) unread.update(connection, res);
  };
  let isDraining = false;
  let hasInternals = false;

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
    keepAliveTimeout: edge.keepAliveMs,
  });
  server.maxConnections = edge.maxConnections;
  // Node drops the fields beyond this number, and with them a second key. Their size is limited.
  server.maxHeadersCount = 0;
  server.on('drop', () => onRejected(closedBy('MAX_CONNECTIONS')));
  server.on('connection', (socket) => {
    const connection = new Connection(socket);
    open.set(socket, connection);
    socket.once('close', () => {
      open.delete(socket);
      unread.delete(connection);
    });
  });
  server.on('clientError', (error, socket: Socket) => {
    // A preconnected socket without a request gets no response.
    if (socket.bytesRead === 0) socket.destroy();
    else open.get(socket)?.reject(parserError(error), onRejected);
  });
  server.on('connect', (_, socket: Socket) => {
    // Node no longer handles the errors of this socket.
    socket.on('error', () => {});
    open.get(socket)?.reject(methodNotAllowed, onRejected);
  });

  /** Whether the request is for the listener. Otherwise it has its response already, or gets none. */
  function prepare(req: IncomingMessage, res: GatewayResponse): boolean {
    const connection = open.get(req.socket);
    if (!connection?.add(res)) return false;
    const hasRoom = connection.responses.length <= maxPending;
    res.onRejected = onRejected;
    res.onWrite = onWrite;
    res.isDraining = isDraining;
    if (isDraining || !hasRoom) res.shouldKeepAlive = false;
    if (hasInternals) announceKeepAlive(res, edge.keepAliveMs);
    for (const setFields of responseFields) setFields(req, res);
    const error = hasRoom ? framingError(req) : serviceOverloaded;
    if (error) sendError(res, error);
    else toOriginForm(req);
    return !error;
  }

  /**
   * Opens the port (0: a free one). Resolves to `http://host:port`, without a trailing slash; rejects when
   * the port is not available.
   */
  async function start(listener: Listener): Promise<string> {
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
      if (prepare(req, res)) sendError(res, unsupportedExpect);
    });
    hasInternals = await checkInternals();
    if (hasInternals) server.keepAliveTimeout = 0;
    const everyMs = Math.min(checkMs, requestTimeoutMs, Math.max(edge.keepAliveMs, minCheckMs));
    const timer = setInterval(checkConnections, everyMs).unref();
    server.once('close', () => clearInterval(timer));
    return openPort(server, options);
  }

  /**
   * Disconnects the clients that have taken no byte of their responses for the time of a request, and those
   * that have sent none for `KEEP_ALIVE_MS` and up to two checks: Node would start a timer for each response.
   */
  function checkConnections(): void {
    const nowMs = performance.now();
    for (const connection of open.values()) {
      const isIdle = hasInternals && connection.idleMs(nowMs) >= edge.keepAliveMs;
      if (isIdle || stalledMs(connection, nowMs) >= requestTimeoutMs) connection.socket.destroy();
    }
  }

  /**
   * Closes the port, responds to the active requests and to those that still arrive over open connections,
   * each with `Connection: close`, and closes the other connections once no input has arrived for a while, or
   * after half of the time. Destroys all connections after `timeoutMs`. Resolves to the number of responses
   * that were pending then.
   */
  async function drain(timeoutMs: number): Promise<number> {
    const startedMs = performance.now();
    // First, so that a client with `Connection: close` does not connect again and wait while the port closes.
    await closePort(server, timeoutMs / 2);
    isDraining = true;
    for (const { responses } of open.values()) endResponses(responses);

    let activity = idleActivity();
    let quietForMs = 0;
    let nowMs = performance.now();
    while (open.size > 0 && nowMs - startedMs < timeoutMs) {
      await delay(Math.min(drainCheckMs, timeoutMs));
      // Timers run before I/O: on a busy machine input that has arrived meanwhile is not read yet.
      await turn();
      const checkedMs = nowMs;
      nowMs = performance.now();
      const newActivity = idleActivity();
      quietForMs = newActivity === activity ? quietForMs + Math.min(drainCheckMs, nowMs - checkedMs) : 0;
      activity = newActivity;
      // The other half is for the requests that are active by then.
      const isHalfOver = nowMs - startedMs >= timeoutMs / 2;
      if (isHalfOver || quietForMs >= quietMs) for (const socket of idleSockets()) socket.destroy();
    }
    const pending = destroyAll();
    // This also stops Node's timeout checks, which the drain needs until here.
    server.close();
    return pending;
  }

  /** Unlike those of Node's `closeIdleConnections`, also without a request, or with only part of one. */
  function idleSockets(): Socket[] {
    return [...open].flatMap(([socket, { responses }]) => (responses.length === 0 ? socket : []));
  }

  /** A number that changes when input arrives on a connection without a pending response. */
  function idleActivity(): number {
    return idleSockets().reduce((activity, { bytesRead }) => activity + 1 + bytesRead, 0);
  }

  /** Destroys all connections, after 503 where no response began. Returns the number of pending responses. */
  function destroyAll(): number {
    const pending = [...open.values()].flatMap(({ responses }) => responses);
    for (const res of pending) if (!res.headersSent) sendError(res, drained);
    for (const socket of open.keys()) socket.destroy();
    return pending.length;
  }

  /** The API keys of the active requests, valid or not. No log line may hold them. */
  function secrets(): string[] {
    const requests = [...open.values()].flatMap(({ responses }) => responses.map(({ req }) => req));
    return requests.flatMap(({ headers }) => headers['x-api-key'] || []);
  }

  return {
    start,
    /** Whether the private state of Node is as expected: known once it has started. */
    hasInternals: () => hasInternals,
    drain,
    secrets,
    /** The response bytes that clients have not read yet. */
    unread,
    gauges: [
      { name: 'portico_connections', help: 'Open client connections', read: () => open.size },
      ...unread.gauges,
    ] satisfies Gauge[],
  };
}

/** Ends streams, and makes the last of the pending responses of a connection its last response. */
function endResponses(responses: readonly GatewayResponse[]): void {
  for (const res of [...responses]) {
    res.isDraining = true;
    res.onDrain?.();
  }
  // Responses that are queued behind a last one would be lost.
  const last = responses.at(-1);
  if (last) last.shouldKeepAlive = false;
}
