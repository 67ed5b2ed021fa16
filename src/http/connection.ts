import type { Socket } from 'node:net';
import type { OnRejected } from '../observers/observer.ts';
import { type ErrorResponse, type GatewayResponse, sendError, sendRawError } from './response.ts';

/** How long a closing connection is still read, and how many bytes. */
const lingerMs = 1000;
const maxLingerBytes = 1_048_576;

/**
 * A client connection: its pending responses, and its end. A client can read the last response, because the
 * rest of its input is read and discarded: to close a connection with unread input resets it, and a reset
 * discards what the client has not read yet.
 */
export class Connection {
  readonly socket: Socket;
  /** Pending, in order. An array: the old tables of a Set that changes constantly keep entries reachable. */
  readonly responses: GatewayResponse[] = [];
  /** Response bytes in memory, as of the last count. */
  unreadBytes = 0;
  /** The progress of the client when it was last read, and the time of its last change (unread-bytes.ts). */
  progress = '';
  progressMs = 0;
  #latest: GatewayResponse | undefined;
  #idleSinceMs = 0;
  #bytesRead = 0;
  /** Requests are no longer read. */
  #isEnding = false;

  constructor(socket: Socket) {
    this.socket = socket;
    // Node closes a connection with this method after its last response.
    socket.destroySoon = () => {
      this.#endInput();
      socket.end();
      const timeout = setTimeout(() => socket.destroy(), lingerMs);
      socket.once('close', () => clearTimeout(timeout));
    };
    socket.once('close', () => {
      // A response that is queued behind another one gets no event when the connection closes.
      for (const { disconnected } of this.responses) disconnected.abort(disconnectedError);
    });
  }

  /** Adds the response to a request. False if the request gets none, because it follows the last response. */
  add(res: GatewayResponse): boolean {
    if (this.#isOver || this.#latest?.req.headers.upgrade !== undefined) {
      // Node stops reading while many responses are pending, and these requests never get one.
      this.#discardInput();
      return false;
    }
    this.#latest = res;
    this.responses.push(res);
    // Node's parser stops at a request for another protocol, and Node drops the rest of the packet.
    if (res.req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
    res.once('close', () => {
      res.disconnected.abort(disconnectedError);
      this.responses.splice(this.responses.indexOf(res), 1);
    });
    return true;
  }

  /** Milliseconds since nothing was to be sent and nothing arrived, as seen by calls; 0 before a response. */
  idleMs(nowMs: number): number {
    const { bytesRead } = this.socket;
    const isActive = !this.#latest || this.responses.length > 0 || bytesRead !== this.#bytesRead;
    if (isActive) this.#idleSinceMs = nowMs;
    this.#bytesRead = bytesRead;
    return nowMs - this.#idleSinceMs;
  }

  /**
   * Ends the connection, on which no further request can be read. The pending responses are sent first, then
   * `error` as the last one. It is the response to a partly received request, if there is one.
   */
  reject(error: ErrorResponse, onRejected: OnRejected): void {
    const { socket } = this;
    if (!socket.writable) socket.destroy();
    if (socket.destroyed || this.#isOver) return;
    this.#endInput();
    const rejectRest = () => {
      if (socket.writable) sendRawError(socket, error, onRejected);
      socket.destroySoon();
    };
    const res = this.#latest;
    if (res && !res.req.complete) this.#rejectPartial(res, error);
    else if (res && !res.destroyed) res.once('close', rejectRest);
    else rejectRest();
  }

  #rejectPartial(res: GatewayResponse, error: ErrorResponse): void {
    // Node forgets a request that has its response: without this its reader would wait for the rest.
    this.socket.once('close', () => res.req.destroy());
    if (res.destroyed) this.socket.destroySoon();
    // It may be queued behind another response, which would be lost.
    else if (res.headersSent) res.once('close', () => this.socket.destroySoon());
    else sendError(res, error);
  }

  /** Whether the last response is decided: later requests get none. */
  get #isOver(): boolean {
    return this.#isEnding || this.responses.some(({ isLast }) => isLast);
  }

  #endInput(): void {
    this.#isEnding = true;
    this.#discardInput();
  }

  /** Reads and discards what the client still sends, up to a limit. */
  #discardInput(): void {
    const { socket } = this;
    let bytes = 0;
    socket.removeAllListeners('data');
    // A listener for 'data' makes Node detach its parser from the socket.
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxLingerBytes) socket.pause();
    });
    setImmediate(() => {
      // The parser, which may be in the middle of a packet, pauses the socket while the request is not read.
      // An empty push ends the read that the stream believes to be pending, so that it starts another.
      socket.push('');
      socket.resume();
    });
  }
}

const disconnectedError = () => new Error('The client has its response, or disconnected.');
