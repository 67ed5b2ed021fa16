import type { IncomingMessage, ServerResponse } from 'node:http';
import { discreet } from '../telemetry/secrets.ts';

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

/** Whether a browser asks, for a page, before it sends the page's request. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

/** Whether the origin of a request is listed, by the fields of its response. */
export function isListed(res: ServerResponse): boolean {
  return res.hasHeader(allowOrigin);
}

/** What the gateway reads, and what clients send by default: a field that is not listed here fails the preflight. */
const allowedFields = [
  'content-type',
  'x-api-key',
  'x-explain',
  'x-request-id',
  'traceparent',
  'tracestate',
  'apollographql-client-name',
  'apollographql-client-version',
  'apollo-require-preflight',
].join(', ');

/** Lets the browser send those fields; it need not ask again for two hours, the longest that one heeds. */
export function answerPreflight(res: ServerResponse): void {
  res.writeHead(204, {
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': allowedFields,
    'access-control-max-age': '7200',
  });
  res.end();
}

const logEveryMs = 60_000;
const maxOriginLength = 100;

interface PreflightLogOptions {
  log: (line: string) => void;
  /** What no line may hold. */
  secrets: () => Iterable<string>;
  /** A monotonic clock. */
  nowMs?: () => number;
}

/**
 * Logs the origins of refused preflights, at most one a minute whatever comes: anybody can send them. A browser tells a
 * developer that the preflight failed, and not which setting decides.
 */
export function createPreflightLog({ log, secrets, nowMs = () => performance.now() }: PreflightLogOptions) {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return (origin: string): void => {
    if (nowMs() < nextAtMs) return;
    nextAtMs = nowMs() + logEveryMs;
    const shown = discreet(origin.slice(0, maxOriginLength), secrets()).replace(/[^\w.:/[\]+-]/g, '?');
    log(
      `CORS_ORIGINS does not list ${shown}: a preflight request was refused; further ones are not logged for a minute`,
    );
  };
}
