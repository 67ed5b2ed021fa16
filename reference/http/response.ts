import type { ServerResponse } from 'node:http';

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
  { status, type, body, headers = [] }: ApiResponse,
  more: readonly string[],
): void {
  const length = String(Buffer.byteLength(body));
  const usual = ['content-type', type, 'content-length', length, 'cache-control', 'no-store'];
  outgoing.writeHead(status, [...usual, ...headers, ...more]);
  outgoing.end(body);
}
