import type { IncomingMessage, ServerResponse } from 'node:http';

const allowOrigin = 'access-control-allow-origin';

/**
 * What lets a page of `origin` read an answer; nothing where it is not listed. Never `allow-credentials`: a page sends
 * its key itself, so what the browser adds on its own (cookies, passwords) must open nothing.
 */
export function corsFields(origin: string | undefined, listed: readonly string[]): Record<string, string> {
  if (listed.length === 0) return {};
  const exposed = { 'access-control-expose-headers': 'retry-after, x-request-id' };
  if (listed.includes('*')) return { [allowOrigin]: '*', ...exposed };
  // What is the answer to one origin must not be taken for the answer to another.
  const vary = { vary: 'origin' };
  return origin !== undefined && listed.includes(origin)
    ? { ...vary, [allowOrigin]: origin, ...exposed }
    : vary;
}

/** Whether a browser asks, for a page that may, before it sends the page's request. */
export function isPreflight({ method, headers }: IncomingMessage, res: ServerResponse): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined &&
    res.hasHeader(allowOrigin)
  );
}

/** Lets the browser send what the gateway reads; it need not ask again for two hours, the longest that one heeds. */
export function answerPreflight(res: ServerResponse): void {
  res.writeHead(204, {
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'content-type, x-api-key, x-explain, x-request-id',
    'access-control-max-age': '7200',
  });
  res.end();
}
