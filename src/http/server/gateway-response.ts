import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Aborter } from '../../abort.ts';
import type { OnRejected } from '../../telemetry/logs/rejections.ts';
import { constantFields } from '../header-fields.ts';
import { requestIdFrom } from '../request-id.ts';
import { closeAfter, discardInput } from './node-internals.ts';

/** Bytes that are read and discarded before a connection is closed. */
const maxLingerBytes = 1_048_576;
/** Longest rest of a body that is read only to keep the connection open. */
const maxRestBytes = 65_536;

const largeCharacters = 4096;

interface ConnectionState {
  /** The response to the latest request. */
  latest: GatewayResponse | undefined;
  /** The last response is decided: later requests get none. */
  isOver: boolean;
  /** The last request has arrived, at least in part. */
  isEnding: boolean;
}

const states = new WeakMap<Socket, ConnectionState>();

export function connectionState(socket: Socket): ConnectionState {
  const known = states.get(socket);
  if (known) return known;
  const state: ConnectionState = { latest: undefined, isOver: false, isEnding: false };
  states.set(socket, state);
  return state;
}

const constant = Object.entries(constantFields);
const constantInTurn = constant.flat();

/**
 * A response with the header fields that every response has. It closes its connection where too much of the request has
 * not arrived, because the rest would have to be read.
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
    this.setHeader('x-request-id', this.requestId);
    this.#begin();
    return Reflect.apply(super.writeHead, this, head);
  }

  /** Writes a complete response with status 200, with the same bytes as `writeHead` and `end`, in one write. */
  writeComplete(type: string, body: string): void {
    this.#begin();
    const bytes = Buffer.byteLength(body);
    const own = ['content-type', type, 'content-length', String(bytes)];
    super.writeHead(200, [...own, ...constantInTurn, 'x-request-id', this.requestId]);
    super.write(this.#countedText(body, bytes));
    // Node has joined header and body to one string, and sends it as it is. `end(body)` would append an empty string and
    // join them again.
    this.socket?.uncork();
    this.end();
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    const hasRoom = Reflect.apply(super.write, this, [this.#counted(chunk, rest[0]), ...rest]);
    if (!hasRoom) {
      // Node would pass it to the operating system at the end of this turn. What the system takes is not held here.
      this.socket?.uncork();
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

  #counted(chunk: unknown, encoding?: unknown): unknown {
    if (typeof chunk === 'string') {
      const isLargeText = chunk.length > largeCharacters && typeof encoding !== 'string';
      return this.#countedText(chunk, isLargeText ? Buffer.byteLength(chunk) : chunk.length);
    }
    if (chunk instanceof Uint8Array) this.bodyBytes += chunk.length;
    return chunk;
  }

  /** Counts a text. A large one that is not ASCII becomes bytes, because Node counts the characters of pending text. */
  #countedText(text: string, bytes: number): string | Buffer {
    this.bodyBytes += bytes;
    return text.length > largeCharacters && bytes > text.length ? Buffer.from(text) : text;
  }

  #begin(): void {
    if (isArriving(this.req)) closeAfter(this);
    if (!this.shouldKeepAlive) connectionState(this.req.socket).isOver = true;
  }
}

/** Whether a request gets a response. It does not after the last response of its connection. */
export function accepts(res: GatewayResponse): boolean {
  const { socket } = res.req;
  const state = connectionState(socket);
  if (state.isOver || state.isEnding) {
    // Node stops reading while many responses are pending, and these requests never get one.
    discardInput(socket, maxLingerBytes);
    return false;
  }
  state.latest = res;
  // Node's parser stops at a request for another protocol, and Node drops the rest of the packet.
  if (res.req.headers.upgrade !== undefined) {
    state.isEnding = true;
    closeAfter(res);
  }
  return true;
}

/** From now on requests on this connection get no response; what the client still sends is discarded. */
export function endInput(socket: Socket): void {
  connectionState(socket).isOver = true;
  discardInput(socket, maxLingerBytes);
}

/** Whether more of a request is to come than is worth reading. Without `Expect` the rest is on its way already. */
function isArriving({ complete, headers }: IncomingMessage): boolean {
  const isMeasured = headers['transfer-encoding'] === undefined && headers.expect === undefined;
  return !complete && (!isMeasured || Number(headers['content-length']) > maxRestBytes);
}
