import type { IncomingMessage } from 'node:http';
import type { ErrorResponse } from '../error-response.ts';

/** Size of the request line and the header fields together: Node's own default. */
export const maxHeaderBytes = 16_384;
/** Longest request target, in bytes. */
const maxTargetBytes = 8192;

const targetTooLong: ErrorResponse = {
  status: 414,
  message: `The request URL is longer than ${maxTargetBytes} bytes.`,
};
/**
 * Longest fields that are parsed, in characters: a parser may take time that grows faster than the length. `isHost` has a
 * limit of its own, because the host may also come from the URL.
 */
const maxTypeLength = 200;
const maxAcceptLength = 1000;

const typeTooLong: ErrorResponse = {
  status: 415,
  message: `The Content-Type field is longer than ${maxTypeLength} characters. Send the body as application/json.`,
};
const acceptTooLong: ErrorResponse = {
  status: 406,
  message: `The Accept field is longer than ${maxAcceptLength} characters. Accept application/json.`,
};
const malformed: ErrorResponse = { status: 400, message: 'The request is not well-formed HTTP/1.1.' };

const errorsByCode: Record<string, ErrorResponse> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request header fields are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions of the body are too large.' },
};

/** The response to an error of Node's HTTP parser. */
export function parserError(error: Error): ErrorResponse {
  const { code, rawPacket } = error as Error & { code?: string; rawPacket?: Buffer };
  const head = rawPacket?.toString('latin1', 0, maxTargetBytes) ?? '';
  // A request line starts this packet, and does not end within the limit.
  if (code === 'HPE_HEADER_OVERFLOW' && /^[A-Z]+ [^\r\n]*$/.test(head)) return targetTooLong;
  return errorsByCode[code ?? ''] ?? malformed;
}

/**
 * The response to a request that Node's parser accepts and another server on its path could read differently, or that is
 * expensive to parse. Two servers that disagree on the end of a request make request smuggling possible (RFC 9112, 11.2).
 */
export function framingError({ httpVersion, headers, rawHeaders, url = '' }: IncomingMessage) {
  const codings = headers['transfer-encoding'];
  const isChunked = httpVersion === '1.1' && codings?.toLowerCase() === 'chunked';
  if ((httpVersion !== '1.1' && httpVersion !== '1.0') || countHosts(rawHeaders) > 1) return malformed;
  if (codings !== undefined && !isChunked) return malformed;
  if (url.length > maxTargetBytes) return targetTooLong;
  if (lengthOf(headers['content-type']) > maxTypeLength) return typeTooLong;
  return lengthOf(headers.accept) > maxAcceptLength ? acceptTooLong : undefined;
}

function lengthOf(field = ''): number {
  return field.length;
}

/** Counts the Host fields among `rawHeaders`, which has names and values in turn. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}
