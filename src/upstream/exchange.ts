import type { Dispatcher } from 'undici';
import type { Signal } from '../signal.ts';
import { UpstreamInvalidResponse, UpstreamUnavailable } from './errors.ts';
import type { Sockets } from './sockets.ts';

export interface ExchangeRequest {
  /** Origin-form target, already percent-encoded. */
  path: string;
  apiKey: string;
  /** What names the call in a trace, where the upstream is told. */
  traceparent?: string | undefined;
  /** Ends the exchange, and its connection, at once. */
  signal: Signal;
  /** Whether it is asked once more, at once, where it met a connection that the server had closed. */
  mayBeStale: boolean;
  /**
   * Called once, when the exchange needs its connection no more: it may have ended long before, while that was being made,
   * and what waits in the pool cannot be taken out of it.
   */
  onReleased(): void;
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
 * One GET, whole or not at all. Whatever its status, an answer that arrives is returned; redirects are not followed,
 * for the key would travel along. Rejects with the reason of the signal when that aborts.
 * @throws UpstreamInvalidResponse when the answer is larger than `maxResponseBytes` or breaks off
 * @throws UpstreamUnavailable when no answer begins
 */
export function exchange(
  sockets: Sockets,
  request: ExchangeRequest,
  maxResponseBytes: number,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    new OneExchange(sockets, request, maxResponseBytes, resolve, reject).begin();
  });
}

/** A class, for what one needs on its way is made for every call. */
class OneExchange implements Dispatcher.DispatchHandler {
  readonly #sockets: Sockets;
  readonly #request: ExchangeRequest;
  readonly #maxResponseBytes: number;
  readonly #resolve: (answer: Exchange) => void;
  readonly #reject: (reason: Error) => void;
  readonly #leave = () => this.#end(this.#request.signal.reason);
  #controller: { abort(reason: Error): void } | undefined;
  #mayRepeat: boolean;
  #isSettled = false;
  #status = 0;
  #headers: Exchange['headers'] = {};
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(
    sockets: Sockets,
    request: ExchangeRequest,
    maxResponseBytes: number,
    resolve: (answer: Exchange) => void,
    reject: (reason: Error) => void,
  ) {
    this.#sockets = sockets;
    this.#request = request;
    this.#maxResponseBytes = maxResponseBytes;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#mayRepeat = request.mayBeStale;
  }

  begin(): void {
    const { signal, onReleased } = this.#request;
    if (signal.aborted) {
      onReleased();
      this.#reject(signal.reason);
      return;
    }
    signal.addEventListener('abort', this.#leave);
    this.#dispatch();
  }

  #dispatch(): void {
    const { path, apiKey, traceparent } = this.#request;
    const own = { accept: 'application/json', 'x-api-key': apiKey };
    const headers = traceparent === undefined ? own : { ...own, traceparent };
    this.#sockets.pool.dispatch({ method: 'GET', path, headers, headersTimeout: 0, bodyTimeout: 0 }, this);
  }

  #settle(): void {
    this.#isSettled = true;
    this.#request.signal.removeEventListener('abort', this.#leave);
  }

  #end(reason: Error): void {
    this.#settle();
    this.#reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It ended while its connection was being made.
    if (this.#isSettled) controller.abort(this.#request.signal.reason);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Exchange['headers']): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    if (this.#size <= this.#maxResponseBytes) return;
    this.#end(new UpstreamInvalidResponse(`it is larger than ${this.#maxResponseBytes} bytes`));
  }

  onResponseEnd(): void {
    this.#request.onReleased();
    if (this.#isSettled) return;
    this.#settle();
    const [only] = this.#chunks;
    const body = only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks, this.#size);
    this.#resolve({ status: this.#status, headers: this.#headers, body, isRead: false });
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    if (!this.#isSettled && this.#mayRepeat && this.#sockets.wasUsed(cause)) {
      this.#mayRepeat = false;
      this.#dispatch();
      return;
    }
    this.#request.onReleased();
    if (this.#isSettled) return;
    this.#settle();
    this.#reject(
      this.#status === 0
        ? new UpstreamUnavailable(null, { cause })
        : new UpstreamInvalidResponse('it breaks off', { cause }),
    );
  }
}
