import { randomBytes } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { GraphQLError } from 'graphql';
import type { OnRejected } from '../observers/observer.ts';
import { revealsSecret } from '../observers/secrets.ts';
import { Aborter, type Signal } from '../rest/abort.ts';
import type { ErrorHttp } from '../schema/errors.ts';
import type { OperationCalls } from '../schema/loaders.ts';
import { writeFields } from './socket/node-internals.ts';

/** The fields of every response, also to malformed HTTP: no caching, type sniffing, framing or embedding. */
const constantFields: Record<string, string> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // GraphiQL replaces it by a policy that allows its own assets.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
};
const constant = Object.entries(constantFields);
const constantLines = constant.map(([name, value]) => `${name}: ${value}\r\n`).join('');

/** Longest rest of a body that is read only to keep the connection open. */
const maxRestBytes = 65_536;

const largeCharacters = 4096;
/** A response that is written in pieces of this size makes room for them among those that are unread, in bytes. */
const largeBytes = 65_536;

const none: never[] = [];
const neverDrains = new Aborter();

/** The REST calls that have ended for a response, and what the REST API said in them. */
export type CallsSoFar = Pick<OperationCalls, 'ended' | 'notices'>;

type HeaderFields = readonly (readonly [name: string, value: string])[];

/** Returns header fields of the response to an operation, which begins after these calls. */
export type LateFields = (calls: CallsSoFar, res: GatewayResponse) => HeaderFields;

/** A response with the fields of all. It closes its connection if too much of the request would have to be read. */
export class GatewayResponse extends ServerResponse {
  /** Aborts when the client disconnects or has the whole response. */
  readonly disconnected = new Aborter();
  /** Called with the bytes of a large piece of the body: they stay in memory until the client reads them. */
  onLarge: ((bytes: number, socket: Socket) => void) | undefined;
  /** Called when this is an error response. Undefined if a request observer reports the request. */
  onRejected: OnRejected | undefined;
  /** Aborts when the server begins to drain: a stream has to end. */
  draining: Signal = neverDrains;
  /** The REST calls for it; undefined from its beginning on. */
  calls: CallsSoFar | undefined;
  lateFields: readonly LateFields[] = none;
  readonly startedAtMs = performance.now();
  #requestId: string | undefined;

  /** True if it has begun, with `Connection: close`. */
  get isLast(): boolean {
    return this.headersSent && !this.shouldKeepAlive;
  }

  /** The id of the request in logs, and in the response as `x-request-id`. */
  get requestId(): string {
    this.#requestId ??= requestIdFrom(this.req);
    return this.#requestId;
  }

  override writeHead(...head: [status: number, ...rest: unknown[]]): this {
    for (const [name, value] of constant) if (!this.hasHeader(name)) this.setHeader(name, value);
    for (const [name, value] of this.#takeLateFields()) this.setHeader(name, value);
    this.setHeader('x-request-id', this.requestId);
    if (isArriving(this.req)) this.shouldKeepAlive = false;
    return Reflect.apply(super.writeHead, this, head);
  }

  /** Writes a complete response with status 200 and the same bytes as `writeHead` and `end`, in one write. */
  writeComplete(type: string, body: string): void {
    if (isArriving(this.req)) this.shouldKeepAlive = false;
    // Node would read a long text once more for its length.
    const piece = body.length >= largeBytes ? Buffer.from(body) : body;
    const bytes = Buffer.byteLength(piece);
    const late = this.#takeLateFields();
    let fields = '';
    for (const name of this.getHeaderNames()) fields += `${name}: ${this.getHeader(name)}\r\n`;
    fields += `content-type: ${type}\r\ncontent-length: ${bytes}\r\n${constantLines}`;
    for (const [name, value] of late) fields += `${name}: ${value}\r\n`;
    if (!writeFields(this, `${fields}x-request-id: ${this.requestId}\r\n`)) {
      const own = ['content-type', type, 'content-length', String(bytes)];
      super.writeHead(200, [...own, ...constant.flat(), ...late.flat(), 'x-request-id', this.requestId]);
    }
    const isAscii = bytes === body.length;
    // ASCII is written as it is; any other text would have to be encoded first.
    super.write(isAscii && piece === body ? body : this.#counted(piece), isAscii ? 'latin1' : 'utf8');
    // Node has joined header and body to one string. `end(body)` would append an empty string and join them again.
    // It holds the string back until the end of the turn: by the response since Node 26, before it by the socket.
    if (this.writableCorked > 0) this.uncork();
    else this.socket?.uncork();
    this.end();
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    const hasRoom = Reflect.apply(super.write, this, [this.#counted(chunk), ...rest]);
    // A body with a known length is in memory already. Backpressure would only keep its operation active.
    return hasRoom || this.hasHeader('content-length');
  }

  override end(chunk?: unknown, ...rest: unknown[]): this {
    return Reflect.apply(super.end, this, [this.#counted(chunk), ...rest]);
  }

  /** Turns a large text into bytes: Node counts the characters of pending text, and copies it to join it to the head. */
  #counted(chunk: unknown): unknown {
    const isLarge = typeof chunk === 'string' && chunk.length > largeCharacters;
    const piece = isLarge ? Buffer.from(chunk) : chunk;
    if (piece instanceof Uint8Array && piece.length >= largeBytes)
      this.onLarge?.(piece.length, this.req.socket);
    return piece;
  }

  #takeLateFields(): HeaderFields {
    const { calls } = this;
    // The resources of the operation would live as long as a slow client reads, and as its connection is idle.
    this.calls = undefined;
    return calls ? this.lateFields.flatMap((fieldsOf) => fieldsOf(calls, this)) : none;
  }
}

/** True if more than 64 KiB of the body, or an unknown length, is unread. */
function isArriving({ complete, headers }: IncomingMessage): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined;
  return !complete && (isChunked || Number(headers['content-length']) > maxRestBytes);
}

/** No character that could end a line, a field or a quoted string. */
const validId = /^[\w.:/+=@-]{1,128}$/;

const idPrefix = randomBytes(6).toString('hex');
let idCount = 0;

/** The id of a request: a valid `x-request-id` that reveals nothing of its key, else a new one. */
function requestIdFrom({ headers }: IncomingMessage): string {
  const { 'x-request-id': sent, 'x-api-key': key = '' } = headers;
  const isUsable = typeof sent === 'string' && validId.test(sent) && !revealsSecret(sent, String(key));
  if (isUsable) return sent;
  idCount += 1;
  return `${idPrefix}-${idCount}`;
}

/** After these the start of the next request is unknown, so that the connection is closed. */
const closingStatuses = new Set([400, 408]);

/** Sends an error of schema/errors.ts in the format of a GraphQL response. */
export function sendError(res: GatewayResponse, { message, extensions }: GraphQLError): void {
  const { code, http } = extensions;
  const { status, headers } = http as ErrorHttp;
  const text = JSON.stringify({ errors: [{ message, extensions: { code } }] });
  if (closingStatuses.has(status)) res.shouldKeepAlive = false;
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  });
  res.end(text);
  res.onRejected?.({ status, requestId: res.requestId, message });
}

/** Sends an error for input that is no request, and ends the socket. */
export function sendRawError(socket: Socket, error: GraphQLError, onRejected: OnRejected): void {
  const res = new GatewayResponse(new IncomingMessage(socket));
  res.assignSocket(socket);
  res.onRejected = onRejected;
  res.shouldKeepAlive = false;
  sendError(res, error);
  socket.end();
}
