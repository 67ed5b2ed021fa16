import type { Dispatcher } from 'undici';
import { UpstreamInvalidResponse, UpstreamUnavailable } from './errors.ts';
import type { Landing } from './flights.ts';
import type { Sockets } from './sockets.ts';

export interface ExchangeRequest {
  /** Origin-form target, already percent-encoded. */
  path: string;
  apiKey: string;
  /** What names the call in a trace, where the upstream is told. */
  traceparent?: string | undefined;
}

export interface Exchange {
  status: number;
  /** Field names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** Whether anybody has looked into it: of those who share an answer, one speaks for all. */
  isRead?: boolean;
}

/**
 * Who hears what becomes of an exchange. An answer has whatever status. It fails with UpstreamUnavailable when no answer begins,
 * with UpstreamInvalidResponse when that is larger than may be or breaks off, or with what it was ended for.
 */
export interface Recipient extends Landing<Exchange> {
  /**
   * Called once, when the exchange needs its connection no more: it may have ended long before, while that was being made,
   * and what waits in the pool cannot be taken out of it.
   */
  released(): void;
  /**
   * Called where the server had closed the connection before the request reached it. True: the request is sent again at
   * once, on another connection.
   */
  takeRepeat(): boolean;
}

/** One GET, whole or not at all. Redirects are not followed, for the key would travel along. */
export class OneExchange implements Dispatcher.DispatchHandler {
  readonly #sockets: Sockets;
  readonly #request: ExchangeRequest;
  readonly #maxResponseBytes: number;
  readonly #recipient: Recipient;
  #controller: { abort(reason: Error): void } | undefined;
  #isOver = false;
  #isReleased = false;
  /** Why it was ended. */
  #reason: Error | undefined;
  #status = 0;
  #headers: Exchange['headers'] = {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(sockets: Sockets, request: ExchangeRequest, maxResponseBytes: number, recipient: Recipient) {
    this.#sockets = sockets;
    this.#request = request;
    this.#maxResponseBytes = maxResponseBytes;
    this.#recipient = recipient;
  }

  begin(): void {
    this.#dispatch();
  }

  #dispatch(): void {
    const { path, apiKey, traceparent } = this.#request;
    const own = { accept: 'application/json', 'x-api-key': apiKey };
    const headers = traceparent === undefined ? own : { ...own, traceparent };
    this.#sockets.pool.dispatch({ method: 'GET', path, headers, headersTimeout: 0, bodyTimeout: 0 }, this);
  }

  /** Ends it, and its connection, at once; nothing where it is over. */
  end(reason: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#recipient.failed(reason);
  }

  /** What fails in here undici takes for an error of the response, which it tells in turn. */
  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#recipient.released();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It ended while its connection was being made.
    if (this.#reason) controller.abort(this.#reason);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Exchange['headers']): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    if (this.#size <= this.#maxResponseBytes) return;
    this.end(new UpstreamInvalidResponse(`it is larger than ${this.#maxResponseBytes} bytes`));
  }

  onResponseEnd(): void {
    this.#release();
    if (this.#isOver) return;
    this.#isOver = true;
    const [only] = this.#chunks;
    const body = only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks, this.#size);
    this.#recipient.answered({ status: this.#status, headers: this.#headers, body, isRead: false });
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    if (!this.#isOver && this.#sockets.wasUsed(cause) && this.#recipient.takeRepeat()) {
      this.#dispatch();
      return;
    }
    this.#release();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#recipient.failed(
      this.#status === 0
        ? new UpstreamUnavailable(null, { cause })
        : new UpstreamInvalidResponse('it breaks off', { cause }),
    );
  }
}
