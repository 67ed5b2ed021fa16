import type { Socket } from 'node:net';
import type { GraphQLError } from 'graphql';
import type { OnRejected } from '../observers/observer.ts';
import { remove } from '../rest/abort.ts';
import { type GatewayResponse, sendError, sendRawError } from './response.ts';
import { handleOf } from './socket/node-internals.ts';

/** A client connection with its pending responses. */
export class Connection {
  readonly socket: Socket;
  /** Pending, in order. An array: the old tables of a Set that changes constantly keep entries reachable. */
  readonly responses: GatewayResponse[] = [];
  #latest: GatewayResponse | undefined;
  #progress: string | false | undefined;
  #progressMs = 0;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.once('close', () => {
      // A response that is queued behind another one gets no event when the connection closes.
      for (const { disconnected } of this.responses) disconnected.abort(disconnectedError);
    });
  }

  /** Adds a response; false if its request follows the last one: two servers may read differently what comes before. */
  add(res: GatewayResponse): boolean {
    if (!this.socket.writable || this.responses.some(({ isLast }) => isLast)) {
      this.#stopReading();
      return false;
    }
    this.#latest = res;
    this.responses.push(res);
    res.once('close', () => {
      res.disconnected.abort(disconnectedError);
      remove(this.responses, res);
    });
    return true;
  }

  /** Node would keep each further request until the connection closes. A listener for 'data' detaches its parser. */
  #stopReading(): void {
    this.socket.removeAllListeners('data');
    this.socket.on('data', () => {});
    this.socket.pause();
  }

  /** Ends the connection, on which no further request can be read: with an error, if no response to it has begun. */
  reject(error: GraphQLError, onRejected: OnRejected): void {
    const { socket } = this;
    const [res] = this.responses;
    const hasBegun = res ? res.headersSent : this.#latest?.req.complete === false;
    // A preconnected socket without a request gets no response.
    if (socket.bytesRead === 0 || !socket.writable || hasBegun) socket.destroy();
    else if (!res) sendRawError(socket, error, onRejected);
    else {
      // Node forgets a request that has its response: without this its reader would wait for the rest.
      socket.once('close', () => res.req.destroy());
      res.shouldKeepAlive = false;
      sendError(res, error);
    }
  }

  /** Milliseconds since the client took a byte of its responses, or sent one if it has them all, as seen by calls. */
  quietMs(nowMs: number): number {
    const { bytesRead, bytesWritten, writableLength } = this.socket;
    const isIdle = this.#latest !== undefined && this.responses.length === 0;
    // A large response is one write, and only the handle has its progress.
    const taken = `${bytesWritten - writableLength} ${handleOf(this.socket).writeQueueSize}`;
    const progress = writableLength > 0 ? taken : isIdle && `${bytesRead}`;
    if (!progress || progress !== this.#progress) this.#progressMs = nowMs;
    this.#progress = progress;
    return nowMs - this.#progressMs;
  }
}

const disconnectedError = () => new Error('The client has its response, or disconnected.');
