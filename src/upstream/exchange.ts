import type { Dispatcher } from 'undici';
import type { Signal } from '../signal.ts';
import { UpstreamInvalidResponse, UpstreamUnavailable } from './errors.ts';
import type { Sockets } from './sockets.ts';

export interface ExchangeRequest {
  /** Origin-form target, already percent-encoded. */
  path: string;
  apiKey: string;
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
  { path, apiKey, signal, mayBeStale, onReleased }: ExchangeRequest,
  maxResponseBytes: number,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let controller: { abort(reason: Error): void } | undefined;
    let mayRepeat = mayBeStale;
    let status = 0;
    let headers: Exchange['headers'] = {};
    let size = 0;
    let settled = false;
    const chunks: Buffer[] = [];

    const end = (reason: Error) => {
      settle();
      reject(reason);
      controller?.abort(reason);
    };
    const settle = () => {
      settled = true;
      signal.removeEventListener('abort', leave);
    };
    const leave = () => end(signal.reason);
    if (signal.aborted) {
      onReleased();
      return reject(signal.reason);
    }
    signal.addEventListener('abort', leave);

    const request = {
      method: 'GET',
      path,
      headers: { accept: 'application/json', 'x-api-key': apiKey },
      headersTimeout: 0,
      bodyTimeout: 0,
    } as const;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        // It ended while its connection was being made.
        if (settled) started.abort(signal.reason);
      },
      onResponseStart(_, statusCode, fields) {
        if (statusCode < 200) return;
        status = statusCode;
        headers = fields;
      },
      onResponseData(_, chunk) {
        if (settled) return;
        size += chunk.length;
        chunks.push(chunk);
        if (size > maxResponseBytes) {
          end(new UpstreamInvalidResponse(`it is larger than ${maxResponseBytes} bytes`));
        }
      },
      onResponseEnd() {
        onReleased();
        if (settled) return;
        settle();
        const [only] = chunks;
        const body = only && chunks.length === 1 ? only : Buffer.concat(chunks, size);
        resolve({ status, headers, body, isRead: false });
      },
      onResponseError(_, cause) {
        if (!settled && mayRepeat && sockets.wasUsed(cause)) {
          mayRepeat = false;
          sockets.pool.dispatch(request, handler);
          return;
        }
        onReleased();
        if (settled) return;
        settle();
        reject(
          status === 0
            ? new UpstreamUnavailable(null, { cause })
            : new UpstreamInvalidResponse('it breaks off', { cause }),
        );
      },
    };
    sockets.pool.dispatch(request, handler);
  });
}
