import { type OutgoingHttpHeader, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** `headers` alternates names, in lower case, and values. */
export interface ApiResponse {
  status: number;
  type: string;
  body: string;
  headers?: readonly string[];
}

/** A 200 with this JSON text. */
export function responseFromJson(body: string): ApiResponse {
  return { status: 200, type: 'application/json', body };
}

/**
 * Writes the response straight to Node: a Fetch Response and its streams cost more than reading a site. Node
 * omits the body of a HEAD response and keeps its length.
 */
export function sendResponse(
  outgoing: ServerResponse,
  response: ApiResponse,
  headers: readonly string[],
): void {
  outgoing.writeHead(response.status, allHeaders(response, headers));
  outgoing.end(response.body);
}

/** Writes a response to a socket without a request, and ends it. */
export function sendToSocket(socket: Duplex, response: ApiResponse, headers: readonly string[]): void {
  const lines = [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`];
  const all = allHeaders(response, [...headers, 'connection', 'close']);
  for (let n = 0; n < all.length; n += 2) lines.push(`${all[n]}: ${all[n + 1]}`);
  socket.end([...lines, '', response.body].join('\r\n'));
}

function allHeaders(
  { type, body, headers = [] }: ApiResponse,
  more: readonly string[],
): OutgoingHttpHeader[] {
  const length = String(Buffer.byteLength(body));
  return ['content-type', type, 'content-length', length, 'cache-control', 'no-store', ...headers, ...more];
}
