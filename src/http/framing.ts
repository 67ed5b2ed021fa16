import type { IncomingMessage } from 'node:http';
import type { Refusal } from './refusal.ts';

/** Longest request target that is read; what is longer belongs into the body of a POST. */
const maxTargetBytes = 8192;

const targetTooLong: Refusal = {
  status: 414,
  message: `The request URL is longer than ${maxTargetBytes} bytes.`,
};
const malformed: Refusal = { status: 400, message: 'The request is not well-formed HTTP/1.1.' };

const refusals: Record<string, Refusal> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request header fields are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions of the body are too large.' },
};

/** What to answer where Node found no request in the bytes that came. */
export function refusalOfError(error: Error, maxHeaderBytes: number): Refusal {
  const { code, rawPacket } = error as Error & { code?: string; rawPacket?: Buffer };
  const head = rawPacket?.toString('latin1', 0, Math.min(maxTargetBytes, maxHeaderBytes)) ?? '';
  // The first line of a request begins this packet, and does not end in good time.
  if (code === 'HPE_HEADER_OVERFLOW' && /^[A-Z]+ [^\r\n]*$/.test(head)) return targetTooLong;
  return refusals[code ?? ''] ?? malformed;
}

/**
 * What Node's parser lets pass, and another server on the way may read otherwise: where two disagree on where a
 * request ends, somebody's request becomes part of somebody else's.
 */
export function framingRefusal({ httpVersion, headers, rawHeaders, url = '' }: IncomingMessage) {
  const codings = headers['transfer-encoding'];
  const isChunked = httpVersion === '1.1' && codings?.toLowerCase() === 'chunked';
  if ((httpVersion !== '1.1' && httpVersion !== '1.0') || hostsIn(rawHeaders) > 1) return malformed;
  if (codings !== undefined && !isChunked) return malformed;
  return url.length > maxTargetBytes ? targetTooLong : undefined;
}

/** How many of the fields, name and value in turn, name a host. */
function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}
