import type { IncomingMessage, ServerResponse } from 'node:http';
import { redact } from '../telemetry/secrets.ts';

const allowOrigin = 'access-control-allow-origin';

/**
 * The CORS fields of a response; only `vary` where `origin` is not listed. Never `access-control-allow-credentials`: a page
 * sends its key itself, so that credentials which the browser adds (cookies, passwords) authorize nothing.
 */
export function corsFields(origin: string | undefined, listed: readonly string[]): Record<string, string> {
  if (listed.length === 0) return {};
  const exposed = { 'access-control-expose-headers': 'retry-after, x-request-id' };
  if (listed.includes('*')) return { [allowOrigin]: '*', ...exposed };
  // A cached response to one origin must not be served to another.
  const vary = { vary: 'origin' };
  return origin !== undefined && listed.includes(origin)
    ? { ...vary, [allowOrigin]: origin, ...exposed }
    : vary;
}

/** Whether a request is a CORS preflight request. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

/** Whether the origin of a request is listed, according to the fields of its response. */
export function isListed(res: ServerResponse): boolean {
  return res.hasHeader(allowOrigin);
}

/** The fields that the gateway reads or that clients send by default. Any other field fails the preflight. */
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

/** Allows those fields for two hours, the longest time that browsers cache a preflight. */
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
  /** Texts that no line may hold. */
  secrets: () => Iterable<string>;
  /** A monotonic clock. */
  nowMs?: () => number;
}

/**
 * Logs the origins of rejected preflight requests, at most one per minute because any client can send them. A browser
 * reports the failure without the setting that decides.
 */
export function createPreflightLog({ log, secrets, nowMs = () => performance.now() }: PreflightLogOptions) {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return (origin: string): void => {
    if (nowMs() < nextAtMs) return;
    nextAtMs = nowMs() + logEveryMs;
    const shown = redact(origin.slice(0, maxOriginLength), secrets()).replace(/[^\w.:/[\]+-]/g, '?');
    log(
      `CORS_ORIGINS does not list ${shown}: a preflight request was refused; further ones are not logged for a minute`,
    );
  };
}
