import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../config.ts';
import { openPort } from '../port.ts';
import { Answer, isHeard, lingerAtEnd, refuseConnection } from './connection.ts';
import { createConnections } from './connections.ts';
import { drain } from './drain.ts';
import { createFields } from './fields.ts';
import { framingRefusal, refusalOfError } from './framing.ts';
import { methodRefused, type OnRejected, refuse, tooBusy } from './refusal.ts';
import { toOriginForm } from './target.ts';
import type { UnreadBytes } from './unread.ts';

export interface Listening {
  /** `http://host:port`, without a slash at the end. */
  url: string;
  /** How many connections callers hold. */
  connections(): number;
  /** The response bytes that clients have not taken yet. */
  unread: Pick<UnreadBytes, 'count' | 'isOver'>;
  /** How many connections were closed because too many bytes were unread. */
  closedUnread(): number;
  /** What the requests at work hold that must not be said: the keys they came with, of whatever form. */
  secrets(): Iterable<string>;
  /** Takes no more connections, lets requests at work finish and closes the others. */
  close(): Promise<void>;
  /**
   * Takes no more connections and answers what came over those that stand, for at most `timeoutMs`. Resolves to how
   * many answers were still due then, and are cut.
   */
  drain(timeoutMs: number): Promise<number>;
}

/** Another process that has the port, and hands over what comes there. */
export interface Feed {
  /** Of that port. */
  url: string;
  /** Gives every connection to `take`, from now on. */
  start(take: (socket: Socket) => void): void;
}

/** Answers what has come through the edge. */
export type Listener = (req: IncomingMessage, res: Answer) => void;

export interface ServerOptions extends Pick<Config, 'host' | 'port' | 'edge' | 'maxBodyBytes'> {
  onRejected?: OnRejected;
}

const closedBy = (setting: string) => ({
  status: null,
  requestId: null,
  message: `The connection was closed: ${setting} is reached.`,
});
const tooManyConnections = closedBy('MAX_CONNECTIONS');
const unread = closedBy('MAX_UNREAD_BYTES');

/** Opens a port (0: a free one) for `listener`, if there is no `feed`. Rejects when the port cannot be had. */
export async function startServer(
  listener: Listener,
  options: ServerOptions,
  feed?: Feed,
): Promise<Listening> {
  const { edge, onRejected } = options;
  const { server, connections, closedUnread } = createHttpServer(options, listener);
  server.maxConnections = edge.maxConnections;
  server.on('drop', () => onRejected?.(tooManyConnections));
  const close = () =>
    new Promise<void>((resolve, reject) => {
      connections.close();
      server.close((error) => (error ? reject(error) : resolve()));
    });
  const url = feed ? feed.url : await openPort(server, options);
  // What would begin with the port: the look for requests that are late.
  if (feed) server.emit('listening');
  feed?.start((socket) => {
    if (connections.size < edge.maxConnections) return void server.emit('connection', socket);
    socket.destroy();
    onRejected?.(tooManyConnections);
  });
  return {
    url,
    connections: () => connections.size,
    unread: connections.unread,
    closedUnread,
    secrets: () => secretsOf(connections.requests()),
    close,
    drain: (timeoutMs) => drain(server, connections, timeoutMs),
  };
}

/** A server that answers in one form whatever comes, also where Node would answer by itself or not at all. */
function createHttpServer({ edge, maxBodyBytes, onRejected = () => {} }: ServerOptions, listener: Listener) {
  const fieldsOf = createFields(edge);
  /** Whether a request is to be answered by the listener: it may be no request at all, or be answered already. */
  const passes = (req: IncomingMessage, res: Answer): boolean => {
    if (!isHeard(res)) return false;
    res.onRejected = onRejected;
    const isOneMore = connections.add(res);
    const fields = fieldsOf(req);
    for (const name in fields) res.setHeader(name, fields[name] ?? '');
    if (!isOneMore) res.shouldKeepAlive = false;
    const refusal = isOneMore ? framingRefusal(req) : tooBusy;
    if (refusal) refuse(res, refusal);
    else toOriginForm(req);
    return !refusal;
  };
  const server = createServer({
    ServerResponse: Answer,
    // A request without a Host gets its answer from the listener, like one with a bad one.
    requireHostHeader: false,
    maxHeaderSize: edge.maxHeaderBytes,
    requestTimeout: edge.requestTimeoutMs,
    headersTimeout: edge.requestTimeoutMs,
    // Time-outs are noticed only when Node looks.
    connectionsCheckingInterval: Math.min(1000, Math.ceil(edge.requestTimeoutMs / 4)),
    keepAliveTimeout: edge.keepAliveMs,
  });
  let closed = 0;
  const connections = createConnections(server, {
    patienceMs: edge.requestTimeoutMs,
    maxUnreadBytes: edge.maxUnreadBytes,
    onSlow: () => {
      closed += 1;
      onRejected(unread);
    },
    onRejected,
  });
  // Beyond a number of fields Node drops the rest, and a second key with it. Their size has its limit.
  server.maxHeadersCount = 0;
  server.on('connection', lingerAtEnd);
  server.on('request', (req, res) => {
    if (passes(req, res)) listener(req, res);
  });
  server.on('checkContinue', (req, res) => {
    if (!passes(req, res)) return;
    // Whoever is to be refused for the length that he declares need not send it.
    if (!(Number(req.headers['content-length']) > maxBodyBytes)) res.writeContinue();
    listener(req, res);
  });
  server.on('checkExpectation', (req, res) => {
    if (passes(req, res))
      refuse(res, { status: 417, message: 'The only supported Expect value is 100-continue.' });
  });
  server.on('clientError', (error, socket: Socket) => {
    // A connection that was opened ahead of need has nothing to be answered.
    if (socket.bytesRead === 0) socket.destroy();
    else refuseConnection(socket, refusalOfError(error, edge.maxHeaderBytes), onRejected);
  });
  server.on('connect', (_, socket: Socket) => {
    // From here on Node leaves its errors to us.
    socket.on('error', () => {});
    refuseConnection(socket, methodRefused, onRejected);
  });
  return { server, connections, closedUnread: () => closed };
}

function* secretsOf(requests: Iterable<IncomingMessage>): Generator<string> {
  for (const { headers } of requests) if (headers['x-api-key']) yield String(headers['x-api-key']);
}
