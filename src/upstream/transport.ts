import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import {
  type Done,
  type OnFailure,
  reportCall,
  type Send,
  type UpstreamRequest,
  type UpstreamResponse,
} from './call.ts';
import { UpstreamCancelled, UpstreamInvalidResponse, UpstreamUnavailable } from './errors.ts';

export interface TransportOptions {
  sockets: Sockets;
  /** The path of the base address; the path of a call is appended to it. */
  basePath: string;
  maxResponseBytes: number;
  onFailure?: OnFailure | undefined;
}

/**
 * The last of the stack: sends a GET and reads the whole response, of any status. Fails with UpstreamUnavailable when no
 * response begins, with UpstreamInvalidResponse when it is too large or incomplete, or with the reason of the signal.
 * It follows no redirect, because the key would be sent along.
 */
export function createTransport(options: TransportOptions): Send {
  return (request, done) => new Exchange(options, request, done).start();
}

const noChunks: Buffer[] = [];
const noHeaders: UpstreamResponse['headers'] = {};

class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: TransportOptions;
  readonly #request: UpstreamRequest;
  readonly #done: Done;
  #traceparent: string | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #isReleased = false;
  #abortReason: Error | undefined;
  #status = 0;
  #headers = noHeaders;
  #chunks = noChunks;
  #size = 0;

  constructor(options: TransportOptions, request: UpstreamRequest, done: Done) {
    this.#options = options;
    this.#request = request;
    this.#done = done;
  }

  start(): void {
    const { caller, target, signal } = this.#request;
    if (signal.aborted) {
      this.#done(signal.reason);
      return;
    }
    try {
      this.#traceparent = caller.onSend?.(target.path);
    } catch (error) {
      this.#done(error as Error);
      return;
    }
    this.#request.isSent = true;
    signal.addEventListener('abort', this.#onAbort);
    this.#dispatch();
  }

  #dispatch(): void {
    const { caller, target, validator } = this.#request;
    const headers: Record<string, string> = {
      accept: 'application/json',
      // Without the field a server may send any coding (RFC 9110, 12.5.3), and nothing here decodes one.
      'accept-encoding': 'identity',
      'x-api-key': caller.apiKey,
    };
    if (this.#traceparent !== undefined) headers.traceparent = this.#traceparent;
    if (validator) headers['if-none-match'] = validator.etag;
    const path = this.#options.basePath + target.path;
    const { pool } = this.#options.sockets;
    pool.dispatch({ method: 'GET', path, headers, headersTimeout: 0, bodyTimeout: 0 }, this);
  }

  readonly #onAbort = () => this.#abort(this.#request.signal.reason);

  /** Ends the call and its connection, at once; does nothing where it is over. */
  #abort(reason: Error): void {
    if (this.#isOver) return;
    this.#abortReason = reason;
    // Before the abort: undici reports it to this object too.
    this.#isOver = true;
    this.#controller?.abort(reason);
    this.#fail(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Aborted while it waited for its connection: what is in undici's queue cannot be taken out of it.
    if (this.#abortReason) controller.abort(this.#abortReason);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: UpstreamResponse['headers'],
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#size += chunk.length;
    // A literal has room for one, as most responses need; `push` to an empty array reserves room for 17.
    if (this.#chunks.length === 0) this.#chunks = [chunk];
    else this.#chunks.push(chunk);
    const { maxResponseBytes } = this.#options;
    if (this.#size <= maxResponseBytes) return;
    this.#abort(new UpstreamInvalidResponse(`it is larger than ${maxResponseBytes} bytes`));
  }

  onResponseEnd(): void {
    this.#release();
    if (this.#isOver) return;
    this.#isOver = true;
    const [only] = this.#chunks;
    const status = this.#status;
    const headers = this.#headers;
    this.#complete({
      status,
      headers,
      body: only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks, this.#size),
      sentPath: this.#request.target.path,
      retryAfter: status === 429 ? retryAfterFrom(headers['retry-after'], Date.now()) : undefined,
      isDecoded: false,
      isStored: false,
      resource: undefined,
    });
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    if (!this.#isOver && this.#options.sockets.wasStale(cause) && !this.#request.isRepeated) {
      this.#request.isRepeated = true;
      this.#dispatch();
      return;
    }
    this.#release();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#fail(
      this.#status === 0
        ? new UpstreamUnavailable(null, { cause })
        : new UpstreamInvalidResponse('it is incomplete', { cause }),
    );
  }

  #release(): void {
    // An exception in a handler is an error of the response to undici, which reports that too.
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#request.connection?.release();
  }

  #complete(response: UpstreamResponse): void {
    const { caller, target, startedAtMs, signal, isRepeated, validator } = this.#request;
    const { status, retryAfter } = response;
    signal.removeEventListener('abort', this.#onAbort);
    try {
      const details = { retryAfter, isRepeated };
      const call = reportCall(caller, target.path, startedAtMs, 'network', status, details);
      const isExpected = status === 200 || status === 404 || (status === 304 && validator !== null);
      if (!isExpected) this.#options.onFailure?.(call, caller);
    } finally {
      this.#done(response);
    }
  }

  #fail(error: Error): void {
    const { caller, target, startedAtMs, signal, isRepeated } = this.#request;
    signal.removeEventListener('abort', this.#onAbort);
    try {
      const call = reportCall(caller, target.path, startedAtMs, 'network', null, { isRepeated });
      if (!(error instanceof UpstreamCancelled)) this.#options.onFailure?.(call, caller, error);
    } finally {
      this.#done(error);
    }
  }
}

/** The connections to the REST API, kept open between calls. */
export interface Sockets {
  readonly pool: Pool;
  /**
   * Whether the error of a call means a stale connection: one that had returned a response before, and nothing to this
   * call. The server had closed it, as servers do with idle connections, while the request was on its way.
   */
  wasStale(error: unknown): boolean;
}

/** How many bytes each connection had read when its latest request was sent. */
const readBefore = new WeakMap<object, number>();
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { socket: Socket };
  readBefore.set(socket, socket.bytesRead);
});

/** Connects with the first call. */
export function createSockets(origin: string, connections: number, connectTimeoutMs: number): Sockets {
  const connect = buildConnector({ timeout: connectTimeoutMs });
  const staleErrors = new WeakSet<Error>();
  const pool = new Pool(origin, {
    connections,
    connect(options, callback) {
      connect(options, (error, socket) => {
        if (error) return callback(error, null);
        // Includes the TLS handshake.
        const handshakeBytes = socket.bytesRead;
        // Added before the listeners of the pool, which report the error to the call.
        socket.on('error', (socketError) => {
          const before = readBefore.get(socket) ?? 0;
          if (before > handshakeBytes && socket.bytesRead === before) staleErrors.add(socketError);
        });
        callback(null, socket);
      });
    },
  });
  return { pool, wasStale: (error) => error instanceof Error && staleErrors.has(error) };
}

const MAX_SECONDS = 3600;
const imfFixdate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The delay in a `Retry-After` field (RFC 9110, 10.2.3), in whole seconds from 0 to 3600: longer delays are cut, times in
 * the past are 0, and a value that is neither seconds nor a date is `undefined`.
 */
export function retryAfterFrom(field: string | string[] | undefined, nowMs: number): number | undefined {
  const text = typeof field === 'string' ? field.trim() : '';
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, nowMs);
  return seconds === undefined ? undefined : Math.min(Math.max(seconds, 0), MAX_SECONDS);
}

function secondsUntil(date: string, nowMs: number): number | undefined {
  const ms = imfFixdate.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.ceil((ms - nowMs) / 1000);
}
