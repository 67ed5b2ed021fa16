import { randomBytes } from 'node:crypto';
import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Aborter } from '../abort.ts';
import { type ErrorCode, overloaded, overloadWaitSeconds } from '../errors.ts';
import type { OperationCalls } from '../loaders.ts';
import type { OnRejected } from '../observers/observer.ts';
import { revealsSecret } from '../secrets.ts';
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

const none: never[] = [];

/**
 * A response with the header fields that every response has. It closes its connection where too much of the
 * request has not arrived, because the rest would have to be read.
 */
export class GatewayResponse extends ServerResponse {
  /** Aborts when the client disconnects or has the whole response. */
  readonly disconnected = new Aborter();
  /** Called after a write that may leave bytes unread by the client. */
  onWrite: ((res: GatewayResponse) => void) | undefined;
  /** Called when this is an error response. Undefined where a request observer reports the request. */
  onRejected: OnRejected | undefined;
  /** Called once where this is a stream, when the server begins to drain: it has to end. */
  onDrain: (() => void) | undefined;
  /** Whether the server drains. */
  isDraining = false;
  /** Whether it has begun, with `Connection: close`. */
  isLast = false;
  /** Has what the REST API says in the calls for it. */
  noticesFrom: Pick<OperationCalls, 'notices'> | undefined;
  /** Header fields that are not known before the response begins. */
  lateFields: ((res: GatewayResponse) => readonly [name: string, value: string][]) | undefined;
  /** Bytes of the body written so far. */
  bodyBytes = 0;
  #requestId: string | undefined;

  /** The id of the request in logs, and in the response as `x-request-id`. */
  get requestId(): string {
    this.#requestId ??= requestIdFrom(this.req);
    return this.#requestId;
  }

  override writeHead(...head: [status: number, ...rest: unknown[]]): this {
    for (const [name, value] of constant) if (!this.hasHeader(name)) this.setHeader(name, value);
    for (const [name, value] of this.lateFields?.(this) ?? none) this.setHeader(name, value);
    this.setHeader('x-request-id', this.requestId);
    this.#begin();
    return Reflect.apply(super.writeHead, this, head);
  }

  /** Writes a complete response with status 200 and the same bytes as `writeHead` and `end`, in one write. */
  writeComplete(type: string, body: string): void {
    this.#begin();
    const bytes = Buffer.byteLength(body);
    const late = this.lateFields?.(this) ?? none;
    let fields = '';
    for (const [name, value] of late) fields += `${name}: ${value}\r\n`;
    for (const name of this.getHeaderNames()) fields += `${name}: ${this.getHeader(name)}\r\n`;
    fields += `content-type: ${type}\r\ncontent-length: ${bytes}\r\n${constantLines}`;
    if (!writeFields(this, `${fields}x-request-id: ${this.requestId}\r\n`)) {
      const own = ['content-type', type, 'content-length', String(bytes)];
      super.writeHead(200, [...late.flat(), ...own, ...constant.flat(), 'x-request-id', this.requestId]);
    }
    // ASCII is written as it is; any other text would have to be encoded first.
    super.write(this.#countedText(body, bytes), bytes === body.length ? 'latin1' : 'utf8');
    // Node has joined header and body to one string, and sends it as it is. `end(body)` would append an empty
    // string and join them again.
    this.#flush();
    this.end();
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    const hasRoom = Reflect.apply(super.write, this, [this.#counted(chunk, rest[0]), ...rest]);
    if (!hasRoom) {
      // Node would pass it to the operating system at the end of this turn. What the system takes is not held
      // here.
      this.#flush();
      this.onWrite?.(this);
    }
    // A body with a known length is in memory already. Backpressure would only keep its operation active.
    return hasRoom || this.hasHeader('content-length');
  }

  override end(chunk?: unknown, ...rest: unknown[]): this {
    Reflect.apply(super.end, this, [this.#counted(chunk, rest[0]), ...rest]);
    this.onWrite?.(this);
    return this;
  }

  /** Passes on what is held back until the end of the turn: by the response since Node 26, before it by the socket. */
  #flush(): void {
    if (this.writableCorked > 0) this.uncork();
    else this.socket?.uncork();
  }

  #counted(chunk: unknown, encoding?: unknown): unknown {
    if (typeof chunk === 'string') {
      const isLargeText = chunk.length > largeCharacters && typeof encoding !== 'string';
      return this.#countedText(chunk, isLargeText ? Buffer.byteLength(chunk) : chunk.length);
    }
    if (chunk instanceof Uint8Array) this.bodyBytes += chunk.length;
    return chunk;
  }

  /** Counts a text. A large non-ASCII one becomes bytes: Node counts the characters of pending text. */
  #countedText(text: string, bytes: number): string | Buffer {
    this.bodyBytes += bytes;
    return text.length > largeCharacters && bytes > text.length ? Buffer.from(text) : text;
  }

  #begin(): void {
    if (isArriving(this.req)) this.shouldKeepAlive = false;
    this.isLast = !this.shouldKeepAlive;
  }
}

/** Whether more of a request is to come than is worth reading. Without `Expect` the rest is on its way. */
function isArriving({ complete, headers }: IncomingMessage): boolean {
  const isMeasured = headers['transfer-encoding'] === undefined && headers.expect === undefined;
  return !complete && (!isMeasured || Number(headers['content-length']) > maxRestBytes);
}

/** No character that could end a line, a field or a quoted string. */
const validId = /^[\w.:/+=@-]{1,128}$/;

const idPrefix = randomBytes(6).toString('hex');
let idCount = 0;

/** The id of a request: a valid `x-request-id` that reveals nothing of its key, else a new one. */
function requestIdFrom({ headers }: IncomingMessage): string {
  const { 'x-request-id': sent, 'x-api-key': key = '' } = headers;
  const isUsable = typeof sent === 'string' && validId.test(sent) && !revealsSecret(sent, String(key));
  return isUsable ? sent : newRequestId();
}

function newRequestId(): string {
  idCount += 1;
  return `${idPrefix}-${idCount}`;
}

/** The response to a request that is rejected: its message holds nothing of the request. */
export interface ErrorResponse {
  status: number;
  message: string;
  code?: ErrorCode;
  fields?: Record<string, string>;
}

export const serviceOverloaded: ErrorResponse = {
  status: 503,
  message: overloaded().message,
  code: 'OVERLOADED',
  fields: { 'retry-after': String(overloadWaitSeconds) },
};

export const internalError: ErrorResponse = {
  status: 500,
  message: 'Unexpected error.',
  code: 'INTERNAL_SERVER_ERROR',
};

export const methodNotAllowed: ErrorResponse = {
  status: 405,
  message: 'Use POST or GET.',
  fields: { allow: 'GET, POST' },
};

/** After these the start of the next request is unknown, so that the connection is closed. */
const closingStatuses = new Set([400, 408]);

/** Sends an error in the format of a GraphQL response. */
export function sendError(res: GatewayResponse, error: ErrorResponse): void {
  const { text, fields } = serialize(error);
  if (closingStatuses.has(error.status)) res.shouldKeepAlive = false;
  res.writeHead(error.status, fields);
  res.end(text);
  res.onRejected?.({ status: error.status, requestId: res.requestId, message: error.message });
}

/** The same for input that is no request: writes to the socket and ends it. */
export function sendRawError(socket: Duplex, error: ErrorResponse, onRejected: OnRejected): void {
  const requestId = newRequestId();
  const { text, fields } = serialize(error);
  const all = {
    ...constantFields,
    'x-request-id': requestId,
    ...fields,
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...lines, '', text].join('\r\n'));
  onRejected({ status: error.status, requestId, message: error.message });
}

function serialize({ message, code = 'BAD_REQUEST', fields }: ErrorResponse) {
  const text = JSON.stringify({ errors: [{ message, extensions: { code } }] });
  return {
    text,
    fields: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      ...fields,
    },
  };
}
