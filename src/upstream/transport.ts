import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import {
  type Done,
  type OnFailure,
  type Outcome,
  observe,
  reportCall,
  type Send,
  type UpstreamRequest,
  type UpstreamResponse,
} from './call.ts';
import { UpstreamCancelled, UpstreamInvalidResponse, UpstreamUnavailable } from './errors.ts';
import { retryAfterFrom } from './rate-limit.ts';

interface TransportOptions {
  sockets: ReturnType<typeof createSockets>;
  /** The path of the base address; the path of a call is appended to it. */
  basePath: string;
  maxResponseBytes: number;
  onFailure?: OnFailure | undefined;
}

/**
 * The last of the stack: sends a GET and reads the whole response, of any status. Fails with
 * UpstreamUnavailable when no response begins, with UpstreamInvalidResponse when it is too large or
 * incomplete, or with the reason of the signal. It follows no redirect, because the key would be sent along.
 */
export function createTransport(options: TransportOptions): Send {
  const dispatch: Send = (request, done) => {
    const { caller, target, signal } = request;
    if (signal.aborted) return done(signal.reason);
    const traceparent = caller.onSend && observe(caller.onSend, target.path);
    const exchange = new Exchange(options, request, done, traceparent);
    request.isSent = true;
    signal.addEventListener('abort', exchange.onAbort);
    options.sockets.pool.dispatch(exchange.options, exchange);
  };
  return dispatch;
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly options: Dispatcher.DispatchOptions;
  readonly #transport: TransportOptions;
  readonly #request: UpstreamRequest;
  readonly #done: Done;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #status = 0;
  #headers: UpstreamResponse['headers'] = {};
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(
    transport: TransportOptions,
    request: UpstreamRequest,
    done: Done,
    traceparent: string | undefined,
  ) {
    const { caller, target, validator } = request;
    const headers: Record<string, string> = {
      accept: 'application/json',
      // Without the field a server may send any coding (RFC 9110, 12.5.3), and nothing here decodes one.
      'accept-encoding': 'identity',
      'x-api-key': caller.apiKey,
    };
    if (traceparent !== undefined) headers.traceparent = traceparent;
    if (validator) headers['if-none-match'] = validator.etag;
    const path = transport.basePath + target.path;
    this.options = { method: 'GET', path, headers, headersTimeout: 0, bodyTimeout: 0 };
    this.#transport = transport;
    this.#request = request;
    this.#done = done;
  }

  readonly onAbort = () => this.#abort(this.#request.signal.reason);

  /** Ends the call and its connection, at once; does nothing where it is over. */
  #abort(reason: Error): void {
    if (this.#isOver) return;
    // Before the abort: undici reports it to this object too.
    this.#isOver = true;
    this.#controller?.abort(reason);
    this.#end(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Aborted while it waited for its connection: what is in undici's queue cannot be taken out of it.
    if (this.#isOver) controller.abort(this.#request.signal.reason);
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
    this.#chunks.push(chunk);
    const { maxResponseBytes } = this.#transport;
    if (this.#size <= maxResponseBytes) return;
    this.#abort(new UpstreamInvalidResponse(`it is larger than ${maxResponseBytes} bytes`));
  }

  onResponseEnd(): void {
    this.#request.connection?.release();
    if (this.#isOver) return;
    const [only] = this.#chunks;
    const status = this.#status;
    const headers = this.#headers;
    this.#end({
      status,
      headers,
      body: only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks),
      sentPath: this.#request.target.path,
      retryAfter: status === 429 ? retryAfterFrom(headers['retry-after'], Date.now()) : undefined,
      isDecoded: false,
      isStored: false,
      resource: undefined,
    });
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    if (!this.#isOver && this.#transport.sockets.wasStale(cause) && !this.#request.isRepeated) {
      this.#request.isRepeated = true;
      this.#transport.sockets.pool.dispatch(this.options, this);
      return;
    }
    this.#request.connection?.release();
    if (this.#isOver) return;
    this.#end(
      this.#status === 0
        ? new UpstreamUnavailable(null, { cause })
        : new UpstreamInvalidResponse('it is incomplete', { cause }),
    );
  }

  #end(outcome: Outcome): void {
    this.#isOver = true;
    const { caller, target, startedAtMs, signal, isRepeated, validator } = this.#request;
    signal.removeEventListener('abort', this.onAbort);
    const error = outcome instanceof Error ? outcome : undefined;
    const { status = null, retryAfter } = outcome instanceof Error ? noResponse : outcome;
    const details = { retryAfter, isRepeated };
    const call = reportCall(caller, target.path, startedAtMs, 'network', status, details);
    const isExpected = status === 200 || status === 404 || (status === 304 && validator !== null);
    if (!isExpected && !(error instanceof UpstreamCancelled)) {
      observe(this.#transport.onFailure, call, caller, error);
    }
    this.#done(outcome);
  }
}

const noResponse: { status?: number; retryAfter?: number } = {};

/** How many bytes each connection had read when its latest request was sent. */
const readBefore = new WeakMap<object, number>();
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { socket: Socket };
  readBefore.set(socket, socket.bytesRead);
});

/** The connections to the REST API, kept open between calls. Connects with the first call. */
export function createSockets(origin: string, connections: number, connectTimeoutMs: number) {
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
  return {
    pool,
    /**
     * Whether the error of a call means a stale connection: one that had returned a response before, and
     * nothing to this call. The server had closed it, as servers do with idle connections, while the request
     * was on its way.
     */
    wasStale: (error: unknown) => error instanceof Error && staleErrors.has(error),
  };
}
