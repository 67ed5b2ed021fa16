import type { IncomingMessage, ServerResponse } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { redact } from '../../secrets.ts';
import type { BrowserOptions } from './settings.ts';

const allowOrigin = 'access-control-allow-origin';

/**
 * Creates a function that sets the fields by which a browser may read a response with its `exposed` fields, and has
 * to connect. Undefined where the settings ask for none.
 */
export function createBrowserFields({ corsOrigins, trustedProxies }: BrowserOptions, exposed: string) {
  if (corsOrigins.length === 0 && trustedProxies.length === 0) return undefined;
  const trusted = new BlockList();
  for (const { address, prefix, family } of trustedProxies) trusted.addSubnet(address, prefix, family);

  return ({ headers, socket: { remoteAddress } }: IncomingMessage, res: ServerResponse): void => {
    if (corsOrigins.length > 0) setCorsFields(res, headers.origin, corsOrigins, exposed);
    // Only a trusted proxy can say that the client used TLS: this server itself speaks plain HTTP.
    if (headers['x-forwarded-proto'] !== 'https' || remoteAddress === undefined) return;
    if (trusted.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4'))
      res.setHeader('strict-transport-security', 'max-age=31536000');
  };
}

/**
 * Sets only `vary` where `origin` is not listed. Never `access-control-allow-credentials`: a page sends its
 * key itself, so that credentials which the browser adds (cookies, passwords) authorize nothing.
 */
function setCorsFields(
  res: ServerResponse,
  origin: string | undefined,
  listed: readonly string[],
  exposed: string,
): void {
  const isAny = listed.includes('*');
  // A cached response to one origin must not be served to another.
  if (!isAny) res.setHeader('vary', 'origin');
  const allowed = isAny ? '*' : listed.find((one) => one === origin);
  if (allowed === undefined) return;
  res.setHeader(allowOrigin, allowed);
  res.setHeader('access-control-expose-headers', exposed);
  // CORS does not cover the timing entries of a response: PerformanceResourceTiming.serverTiming needs this field.
  res.setHeader('timing-allow-origin', allowed);
}

/**
 * The route of preflight requests: allows `fields` for two hours, the longest time that browsers cache a preflight.
 * Any other field fails it. Undefined where the request is no preflight, or its origin, which `onRejected` gets, is not listed.
 */
export function allowPreflight(
  { method, url, headers }: IncomingMessage,
  res: ServerResponse,
  fields: readonly string[],
  onRejected: (origin: string) => void,
): true | undefined {
  if (method !== 'OPTIONS' || headers.origin === undefined) return undefined;
  if (headers['access-control-request-method'] === undefined) return undefined;
  if (url?.split('?', 1)[0] !== '/graphql') return undefined;
  if (!res.hasHeader(allowOrigin)) {
    onRejected(headers.origin);
    return undefined;
  }
  res.writeHead(204, {
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': fields.join(', '),
    'access-control-max-age': '7200',
  });
  res.end();
  return true;
}

const logEveryMs = 60_000;
const maxOriginLength = 100;

/**
 * Logs the origins of rejected preflight requests, at most one per minute because any client can send them. A line
 * has the number of those that were not logged since the previous one. A browser reports the failure without the
 * setting that decides. `secrets`: texts that no line may hold.
 */
export function createPreflightLog(log: (line: string) => void, secrets: () => Iterable<string>) {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let rejected = 0;
  return (origin: string): void => {
    rejected += 1;
    if (performance.now() < nextAtMs) return;
    nextAtMs = performance.now() + logEveryMs;
    const shown = redact(origin.slice(0, maxOriginLength), secrets());
    const printed = redact(shown.replace(/[^\w.:/[\]+-]/g, '?'), secrets());
    const others = `${rejected - 1} others since the previous line were not logged (at most one line per minute)`;
    log(`CORS_ORIGINS does not list ${printed}: a preflight request was rejected; ${others}`);
    rejected = 0;
  };
}
