import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Aborter } from '../abort.ts';
import { constantFields } from './fields.ts';
import { type OnRejected, type Refusal, refuse, refuseRaw } from './refusal.ts';
import { requestIdFrom } from './request-id.ts';

/** How long, and for how many bytes, a caller is heard out who was answered before he had finished. */
const lingerMs = 1000;
const lingerBytes = 1_048_576;
/** How long a body may be that is read only to keep the connection. */
const restBytes = 65_536;

const largeCharacters = 4096;

/** What is known of a connection. */
interface State {
  /** The last request that came. */
  latest: Answer | undefined;
  /** The last answer is decided: whatever else comes asks nothing. */
  isOver: boolean;
  /** The last request has come, in part at least. */
  isEnding: boolean;
}

const states = new WeakMap<Socket, State>();

function stateOf(socket: Socket): State {
  const known = states.get(socket);
  if (known) return known;
  const state: State = { latest: undefined, isOver: false, isEnding: false };
  states.set(socket, state);
  return state;
}

const constant = Object.entries(constantFields);
const constantInTurn = constant.flat();

/** An answer that ends its connection where too much of its request has not arrived: that would have to be read. */
export class Answer extends ServerResponse {
  /** Tells when the caller is gone, or has this answer: either way nobody waits for it any more. */
  readonly departure = new Aborter();
  /** Is called after a write that may leave bytes unread by the client. */
  onWrite: ((res: Answer) => void) | undefined;
  /** Is called when this is a refusal. Absent where another observer reports the request. */
  onRejected: OnRejected | undefined;
  /** How much of the body was written, in bytes. */
  bodyBytes = 0;
  #requestId: string | undefined;

  /** What names this request in the logs; the answer says it. */
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

  /** The whole answer at once, a 200: as `writeHead` and `end` would write it, in one go. */
  writeWhole(type: string, body: string): void {
    this.#begin();
    const length = String(Buffer.byteLength(body));
    const own = ['content-type', type, 'content-length', length];
    super.writeHead(200, [...own, ...constantInTurn, 'x-request-id', this.requestId]);
    super.write(this.#counted(body));
    // Head and body are one text now, and go out as it is. To `end(body)` Node would add an empty text and join the two.
    this.socket?.uncork();
    this.end();
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    const hasRoom = Reflect.apply(super.write, this, [this.#counted(chunk, rest[0]), ...rest]);
    if (!hasRoom) {
      // Node would hand it to the system at the end of this turn. What the system takes is not held here.
      this.socket?.uncork();
      this.onWrite?.(this);
    }
    // A body that has its length is held whole already. To wait for its client would only hold an operation's place.
    return hasRoom || this.hasHeader('content-length');
  }

  override end(chunk?: unknown, ...rest: unknown[]): this {
    Reflect.apply(super.end, this, [this.#counted(chunk, rest[0]), ...rest]);
    this.onWrite?.(this);
    return this;
  }

  /** Counts a chunk. A large text becomes bytes unless it is ASCII: of a text Node counts the characters that wait. */
  #counted(chunk: unknown, encoding?: unknown): unknown {
    if (typeof chunk === 'string') {
      const isText = chunk.length > largeCharacters && typeof encoding !== 'string';
      const counted = isText && Buffer.byteLength(chunk) > chunk.length ? Buffer.from(chunk) : chunk;
      this.bodyBytes += counted.length;
      return counted;
    }
    if (chunk instanceof Uint8Array) this.bodyBytes += chunk.length;
    return chunk;
  }

  #begin(): void {
    if (isArriving(this.req)) this.shouldKeepAlive = false;
    if (!this.shouldKeepAlive) stateOf(this.req.socket).isOver = true;
  }
}

/** Whether a request is to be answered. It is not where it came after the last answer of its connection. */
export function isHeard(res: Answer): boolean {
  const { socket } = res.req;
  const state = stateOf(socket);
  if (state.isOver || state.isEnding) {
    // Node stops reading when many answers are due, but there will be none to these.
    hearOut(socket);
    return false;
  }
  state.latest = res;
  // Node's parser stops at what asks for another protocol, and Node drops what comes in the same packet.
  if (res.req.headers.upgrade !== undefined) {
    state.isEnding = true;
    res.shouldKeepAlive = false;
  }
  return true;
}

/**
 * Lets the caller read the last answer. Closing a connection on which bytes are unread resets it, and a reset takes
 * what the other side has not read yet along with it.
 */
export function lingerAtEnd(socket: Socket): void {
  // With this method Node closes a connection after its last answer.
  socket.destroySoon = () => {
    stateOf(socket).isOver = true;
    hearOut(socket);
    socket.end();
    const patience = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(patience));
  };
}

/**
 * Ends a connection on which no request can follow: after the answers that are due, `refusal` is the last one. It is
 * the answer to a request that has arrived in part, if there is one.
 */
export function refuseConnection(socket: Socket, refusal: Refusal, onRejected: OnRejected): void {
  if (!socket.writable) socket.destroy();
  const state = stateOf(socket);
  if (socket.destroyed || state.isOver) return;
  state.isOver = true;
  hearOut(socket);
  const res = state.latest;
  if (res && !res.req.complete) refusePart(res, refusal);
  else if (res && !res.destroyed) res.once('close', () => refuseRest(socket, refusal, onRejected));
  else refuseRest(socket, refusal, onRejected);
}

function refusePart(res: Answer, refusal: Refusal): void {
  const { req } = res;
  // Node forgets a request that has its answer: nobody else tells its reader that no more of it will come.
  req.socket.once('close', () => req.destroy());
  if (res.destroyed) req.socket.destroySoon();
  // It may stand behind another answer, which would be lost.
  else if (res.headersSent) res.once('close', () => req.socket.destroySoon());
  else refuse(res, refusal);
}

function refuseRest(socket: Socket, refusal: Refusal, onRejected: OnRejected): void {
  if (socket.writable) refuseRaw(socket, refusal, onRejected);
  socket.destroySoon();
}

/** Reads on, so that the caller may come to the end of what he writes, but looks at nothing and not for ever. */
function hearOut(socket: Socket): void {
  let bytes = 0;
  socket.removeAllListeners('data');
  // Node takes the connection from its parser as soon as somebody else listens to it.
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > lingerBytes) socket.pause();
  });
  setImmediate(() => {
    // The parser, which may have been amid a packet, stops the connection while nobody reads the request. An empty
    // push ends the read that the stream takes to be under way, so that it starts another.
    socket.push('');
    socket.resume();
  });
}

/** Whether more of a request is to come than is worth reading. Without `Expect` the rest is on its way already. */
function isArriving({ complete, headers }: IncomingMessage): boolean {
  const isMeasured = headers['transfer-encoding'] === undefined && headers.expect === undefined;
  return !complete && (!isMeasured || Number(headers['content-length']) > restBytes);
}
