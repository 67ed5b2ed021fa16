import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { latestOf } from '../../rest/memo.ts';

// Shortcuts around the documented interfaces of Node's HTTP server, which use private state of it: a body
// without the events of a stream, and a complete response as one text. A tenth of an operation's CPU time.

const [major = ''] = process.versions.node.split('.', 1);
/** True if the tests run on this version of Node: on another one bodies and responses take documented interfaces. */
export const isKnownNode = ['20', '22', '24', '26'].includes(major);

interface BodyReceiver {
  /** Called with each chunk. Returns whether to read on. */
  onData(chunk: Buffer): boolean;
  /** Called once after the last chunk. */
  onEnd(): void;
  /** Called once if the body will not be complete. */
  onAbort(): void;
}

interface PrivateRequest {
  /** True if the body is read; otherwise Node discards it. */
  _consumed: boolean;
  _readableState: { ended: boolean; endEmitted: boolean };
}

interface PrivateResponse {
  /** The status line and the fields, as they will be written. */
  _header: string | null;
  /** Milliseconds; sent as the `Keep-Alive` field. */
  _keepAliveTimeout: number;
}

export class GatewayRequest extends IncomingMessage {
  #receiver: BodyReceiver | undefined;

  /** False if the body is to be read as a stream: reading has begun, or Node is another. */
  receive(receiver: BodyReceiver): boolean {
    if (!isKnownNode || this.complete || this.readableLength > 0 || this.readableFlowing !== null)
      return false;
    this.#receiver = receiver;
    (this as unknown as PrivateRequest)._consumed = true;
    return true;
  }

  /** Called by Node's parser, with null after the last chunk. */
  override push(chunk: Buffer | null): boolean {
    if (!this.#receiver) return super.push(chunk);
    if (chunk !== null) return this.#receiver.onData(chunk);
    const { _readableState: state } = this as unknown as PrivateRequest;
    state.ended = true;
    state.endEmitted = true;
    // Node itself listens if the response was sent before.
    this.emit('end');
    this.#receiver.onEnd();
    return true;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.complete) this.#receiver?.onAbort();
    super._destroy(error, callback);
  }
}

/** Reads the body of a request, at once if that is possible. */
export function receiveBody(req: IncomingMessage, receiver: BodyReceiver): void {
  if (req instanceof GatewayRequest && req.receive(receiver)) return;
  req.on('data', (chunk: Buffer) => {
    if (!receiver.onData(chunk)) req.pause();
  });
  req.on('close', () => {
    if (!req.readableEnded) receiver.onAbort();
  });
  req.on('end', receiver.onEnd);
}

/** Sets status 200, `fields` (lines that end with CRLF) and those of Node. False if `writeHead` is needed. */
export function writeFields(res: ServerResponse, fields: string): boolean {
  if (!isKnownNode || !res.shouldKeepAlive) return false;
  const own = res as unknown as PrivateResponse;
  const keepAlive = own._keepAliveTimeout
    ? `Keep-Alive: timeout=${Math.floor(own._keepAliveTimeout / 1000)}\r\n`
    : '';
  own._header = `HTTP/1.1 200 OK\r\n${fields}Date: ${httpDateOf(Math.floor(Date.now() / 1000))}\r\nConnection: keep-alive\r\n${keepAlive}\r\n`;
  return true;
}

/** Has the response say how long its connection stays open, without Node's timer for each response. */
export function announceKeepAlive(res: ServerResponse, ms: number): void {
  (res as unknown as PrivateResponse)._keepAliveTimeout = ms;
}

/** The part of a socket's handle that Node itself reads for its timeouts, and does not document. */
interface Handle {
  /** Bytes that were passed to the handle. */
  bytesWritten: number;
  /** Those of them that the operating system has not taken. */
  writeQueueSize: number;
}

/** The numbers of a socket's handle; none if it is closed, or Node is another. */
export function handleOf(socket: Socket): Partial<Handle> {
  const { bytesWritten, writeQueueSize } = (socket as { _handle?: Partial<Handle> | null })._handle ?? {};
  const areNumbers = Number.isInteger(bytesWritten) && Number.isInteger(writeQueueSize);
  return areNumbers ? ({ bytesWritten, writeQueueSize } as Handle) : {};
}

const httpDateOf = latestOf((second: number) => new Date(second * 1000).toUTCString());
