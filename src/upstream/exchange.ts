import type { Pool } from 'undici';
import {
  UpstreamAbandoned,
  UpstreamInvalidResponse,
  UpstreamTimeout,
  UpstreamUnavailable,
} from './errors.ts';

export interface ExchangeRequest {
  /** Origin-form target, already percent-encoded. */
  path: string;
  apiKey: string;
  signal: AbortSignal;
}

export interface ExchangeLimits {
  /** From the call to the last byte of the answer, the wait for a connection included. */
  timeoutMs: number;
  maxResponseBytes: number;
}

export interface Exchange {
  status: number;
  /** Field names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/**
 * One GET, whole or not at all. Whatever its status, an answer that arrives is returned; redirects are not followed,
 * for the key would travel along.
 * @throws UpstreamAbandoned when `signal` aborts: the call's connection is given up at once
 * @throws UpstreamTimeout when the deadline passes first
 * @throws UpstreamInvalidResponse when the answer is too large or breaks off
 * @throws UpstreamUnavailable when no answer begins
 */
export function exchange(pool: Pool, request: ExchangeRequest, limits: ExchangeLimits): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let controller: { abort(reason: Error): void } | undefined;
    let status = 0;
    let headers: Exchange['headers'] = {};
    let size = 0;
    let settled = false;
    const chunks: Buffer[] = [];

    // undici cannot take a request out of its queue, so a call that ended early is aborted when its turn comes.
    let ended: Error | undefined;
    const end = (reason: Error) => {
      ended = reason;
      settle();
      reject(reason);
      controller?.abort(reason);
    };
    const settle = () => {
      settled = true;
      clearTimeout(deadline);
      request.signal.removeEventListener('abort', leave);
    };
    const leave = () => end(new UpstreamAbandoned());
    const deadline = setTimeout(() => end(new UpstreamTimeout(limits.timeoutMs)), limits.timeoutMs);
    request.signal.addEventListener('abort', leave);
    if (request.signal.aborted) return leave();

    pool.dispatch(
      {
        method: 'GET',
        path: request.path,
        headers: { accept: 'application/json', 'x-api-key': request.apiKey },
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (ended) started.abort(ended);
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
          if (size > limits.maxResponseBytes) {
            end(new UpstreamInvalidResponse(`it is larger than ${limits.maxResponseBytes} bytes`));
          }
        },
        onResponseEnd() {
          if (settled) return;
          settle();
          resolve({ status, headers, body: Buffer.concat(chunks, size) });
        },
        onResponseError(_, cause) {
          if (settled) return;
          settle();
          reject(
            status === 0
              ? new UpstreamUnavailable({ cause })
              : new UpstreamInvalidResponse('it breaks off', { cause }),
          );
        },
      },
    );
  });
}
