import type { IncomingHttpHeaders } from 'node:http';
import { buildConnector, Client, type Dispatcher } from 'undici';
import manifest from '../../package.json' with { type: 'json' };
import { appended, BodyRoom, LARGE_BODY_BYTES, noBytes } from './bodies.ts';
import {
  type Done,
  isMissing,
  type OnFailure,
  type Outcome,
  observe,
  reportCall,
  type Send,
  type UpstreamRequest,
  type UpstreamResponse,
} from './call.ts';
import type { Caller } from './caller.ts';
import { isFromElsewhere } from './decoding.ts';
import {
  UpstreamCancelled,
  UpstreamInvalidResponse,
  UpstreamUnavailable,
  UpstreamUnreached,
} from './errors.ts';
import { retryAfterFrom } from './http-date.ts';
import type { Deprecation, ReadNotices } from './notices.ts';

export interface TransportOptions {
  /** Base address; the path of a call is appended to its own. */
  url: URL;
  timeoutMs: number;
  maxUpstreamBytes: number;
  /** The bytes of large bodies that are read at a time. */
  bodyRoomBytes: number;
  maxConnectionAgeMs: number;
  readNotices?: ReadNotices | undefined;
  onFailure?: OnFailure | undefined;
  /** Called for each response that says that the REST API is deprecated. */
  onDeprecation?: ((deprecation: Deprecation) => void) | undefined;
}

/** One connection to the REST API, for one request at a time. It is opened, and opened again, by undici. */
interface Connection {
  readonly client: Client;
  /** From then on it takes no request. */
  readonly expiresAtMs: number;
  /** The one that makes it busy. */
  request: UpstreamRequest | undefined;
}

/** The last of the stack: sends a GET, and reads the whole response. It follows no redirect: the key would go there. */
export function createTransport(options: TransportOptions) {
  const { url, timeoutMs, maxConnectionAgeMs } = options;
  const connect = buildConnector({ timeout: timeoutMs });
  const basePath = url.pathname.replace(/\/+$/, '');
  const room = new BodyRoom(Math.max(options.bodyRoomBytes, options.maxUpstreamBytes));
  const all = new Set<Connection>();
  /** Kept open between calls. The one that was used last is used first: the others may become idle. */
  const free: Connection[] = [];

  function open(): Connection {
    const client = new Client(url.origin, { connect });
    // Those that were opened together do not all expire together.
    const ageMs = maxConnectionAgeMs * (1 - Math.random() / 4);
    const connection: Connection = {
      client,
      expiresAtMs: performance.now() + ageMs,
      request: undefined,
    };
    all.add(connection);
    // A request makes its connection busy, until it has its outcome and the socket can take another.
    client.on('drain', () => release(connection));
    return connection;
  }

  function take(): Connection {
    for (let connection = free.pop(); connection; connection = free.pop()) {
      if (performance.now() < connection.expiresAtMs) return connection;
      all.delete(connection);
      void connection.client.close();
    }
    return open();
  }

  function release(connection: Connection): void {
    const { request } = connection;
    if (!request) return;
    connection.request = undefined;
    free.push(connection);
    request.connection?.release();
  }

  const send: Send = (request, done) => {
    const { caller, target, signal } = request;
    if (signal.aborted) return done(signal.reason);
    const traceparent = caller.onSend && observe(caller.onSend, target.path);
    const connection = take();
    const exchange = new Exchange(options, room, request, done);
    connection.request = request;
    request.isSent = true;
    signal.addEventListener('abort', exchange.onAbort);
    const path = basePath + target.path;
    const headers = headersOf(request, traceparent);
    connection.client.dispatch({ method: 'GET', path, headers, headersTimeout: 0, bodyTimeout: 0 }, exchange);
    // undici has rejected it, and so was never busy.
    if (exchange.isOver) release(connection);
  };
  const close = () => Promise.all([...all].map(({ client }) => client.destroy()));
  return { send, close };
}

const userAgent = `portico/${manifest.version}`;

function headersOf(request: UpstreamRequest, traceparent: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    // Without the field a server may send any coding (RFC 9110, 12.5.3), and nothing here decodes one.
    'accept-encoding': 'identity',
    // Common firewall rules block a request without one.
    'user-agent': userAgent,
    'x-api-key': request.caller.apiKey,
  };
  if (traceparent !== undefined) headers.traceparent = traceparent;
  return headers;
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #transport: TransportOptions;
  /** Null once the call is over: undici refers to this object long after that (decision 18). */
  #request: UpstreamRequest | null;
  #done: Done;
  readonly #room: BodyRoom;
  /** The room that is taken for the body. */
  #taken = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers = noFields;
  #body = noBytes;
  #size = 0;
  /** The `Content-Length`; not a number without one. */
  #declared = Number.NaN;

  constructor(transport: TransportOptions, room: BodyRoom, request: UpstreamRequest, done: Done) {
    this.#transport = transport;
    this.#room = room;
    this.#request = request;
    this.#done = done;
  }

  get isOver(): boolean {
    return this.#request === null;
  }

  readonly onAbort = () => {
    if (this.#request) this.#abort(this.#request, this.#request.signal.reason);
  };

  /** Ends the call and its connection, at once. */
  #abort(request: UpstreamRequest, reason: Error): void {
    // Before the abort: undici reports it to this object too.
    this.#request = null;
    this.#controller?.abort(reason);
    this.#end(request, reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Aborted while it waited for its connection: what is in undici's queue cannot be taken out of it.
    if (this.isOver) controller.abort(new UpstreamCancelled());
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (!this.#request) return;
    const { maxUpstreamBytes } = this.#transport;
    if (this.#size === 0) this.#declared = Number(this.#headers['content-length']);
    // Only a body with room of its own takes what it declares at once.
    const most = this.#taken > 0 ? maxUpstreamBytes : LARGE_BODY_BYTES;
    this.#body = appended(this.#body, this.#size, chunk, Math.min(this.#declared || 0, most));
    this.#size += chunk.length;
    if (this.#size > maxUpstreamBytes)
      this.#abort(this.#request, new UpstreamInvalidResponse(`it is larger than ${maxUpstreamBytes} bytes`));
    else if (this.#size > LARGE_BODY_BYTES && this.#taken === 0) this.takeRoom();
  }

  /** Reads on when there is room for a body of this size. */
  takeRoom(): void {
    if (!this.#request) return;
    const { maxUpstreamBytes } = this.#transport;
    const bytes = Math.min(this.#declared || maxUpstreamBytes, maxUpstreamBytes);
    if (!this.#room.take(this.#request.caller.keyHash, bytes)) {
      this.#room.waiting.add(this);
      this.#controller?.pause();
      return;
    }
    this.#taken = bytes;
    // Later: undici's parser, in which another body ends, cannot be entered again.
    if (this.#room.waiting.delete(this)) setImmediate(() => !this.isOver && this.#controller?.resume());
  }

  onResponseEnd(): void {
    if (this.#request) this.#end(this.#request, this.#outcome(this.#request));
  }

  #outcome({ target }: UpstreamRequest): Outcome {
    const status = this.#status;
    const headers = this.#headers;
    const body = this.#body.subarray(0, this.#size);
    if (isFromElsewhere(status, body)) return new UpstreamUnreached(status);
    const retryAfter = status === 429 ? retryAfterFrom(headers) : undefined;
    return {
      status,
      headers,
      body,
      sentPath: target.path,
      retryAfter,
      notices: this.#transport.readNotices?.({ status, headers, retryAfter }) ?? null,
      isDecoded: false,
      isStored: false,
      resource: undefined,
    };
  }

  onResponseError(_: unknown, cause: Error): void {
    if (!this.#request) return;
    const isBegun = this.#status > 0;
    const error = isBegun
      ? new UpstreamInvalidResponse('it is incomplete', { cause })
      : new UpstreamUnavailable(null, { cause });
    this.#end(this.#request, error);
  }

  /** Gives the room back, but what the operation holds of the parsed body only at its end. */
  #leaveRoom({ keyHash, budget, signal }: Caller, isFailed: boolean): void {
    const room = this.#room;
    const isHeld = budget && !isFailed && !signal.aborted;
    const held = isHeld ? Math.min(this.#size, this.#taken) : 0;
    room.waiting.delete(this);
    room.giveBack(keyHash, this.#taken - held);
    // Without `this`, which has the body.
    if (isHeld) signal.addEventListener('abort', () => room.giveBack(keyHash, held));
  }

  #end(request: UpstreamRequest, outcome: Outcome): void {
    const { caller, target, startedAtMs, signal, attempt } = request;
    const done = this.#done;
    this.#request = null;
    this.#done = ignored;
    this.#controller = undefined;
    this.#body = noBytes;
    this.#headers = noFields;
    signal.removeEventListener('abort', this.onAbort);
    const error = outcome instanceof Error ? outcome : undefined;
    const { status = null, retryAfter, notices } = outcome instanceof Error ? noResponse : outcome;
    if (notices) observe(caller.onNotices, notices);
    if (notices?.deprecation) observe(this.#transport.onDeprecation, notices.deprecation);
    const call = reportCall(caller, target.path, startedAtMs, 'network', status, { retryAfter, attempt });
    const isExpected = status === 200 || isMissing(status);
    if (!isExpected && !(error instanceof UpstreamCancelled)) {
      observe(this.#transport.onFailure, call, caller, error);
    }
    done(outcome);
    if (this.#size > LARGE_BODY_BYTES) this.#leaveRoom(caller, error !== undefined);
  }
}

const ignored: Done = () => {};
const noFields: IncomingHttpHeaders = {};
const noResponse: Partial<UpstreamResponse> = {};
