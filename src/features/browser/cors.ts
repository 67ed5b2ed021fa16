import type { RouteOptions, SetFields } from '../../composition.ts';
import type { Route } from '../../http/handler.ts';
import { redact } from '../../observers/secrets.ts';
import type { BrowserOptions } from './settings.ts';

const allowOrigin = 'access-control-allow-origin';

/**
 * Sets the fields by which a page of a listed origin may read a response and its `exposed` fields, and only `vary` for
 * another origin. Never `access-control-allow-credentials`: a page sends its key itself, so that credentials which the
 * browser adds (cookies, passwords) authorize nothing.
 */
export function corsFields({ corsOrigins: listed }: BrowserOptions, exposed: readonly string[]): SetFields[] {
  if (listed.length === 0) return [];
  const isAny = listed.includes('*');
  const names = exposed.join(', ');
  return [
    ({ headers: { origin } }, res) => {
      // A cached response to one origin must not be served to another.
      if (!isAny) res.setHeader('vary', 'origin');
      const allowed = isAny ? '*' : listed.find((one) => one === origin);
      if (allowed === undefined) return;
      res.setHeader(allowOrigin, allowed);
      res.setHeader('access-control-expose-headers', names);
      // CORS does not cover the timing entries of a response: PerformanceResourceTiming.serverTiming needs this field.
      res.setHeader('timing-allow-origin', allowed);
    },
  ];
}

/**
 * The route of preflight requests: allows `fields` for two hours, the longest time that browsers cache a preflight. Any
 * other field fails it. Leaves a preflight of an origin that is not listed to the next route, and logs the origin.
 */
export function preflights({ log, secrets }: RouteOptions, fields: readonly string[]): Route {
  const logRejected = createPreflightLog(log, secrets);
  return ({ method, url, headers }, res) => {
    if (method !== 'OPTIONS' || headers.origin === undefined) return undefined;
    if (headers['access-control-request-method'] === undefined) return undefined;
    if (url?.split('?', 1)[0] !== '/graphql') return undefined;
    if (!res.hasHeader(allowOrigin)) {
      logRejected(headers.origin);
      return undefined;
    }
    res.writeHead(204, {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': fields.join(', '),
      'access-control-max-age': '7200',
    });
    res.end();
    return true;
  };
}

const logEveryMs = 60_000;
const maxOriginLength = 100;

/**
 * Logs the origins of rejected preflight requests, at most one per minute because any client can send them: the browser
 * does not show which setting decides. `secrets`: texts that no line may hold.
 */
export function createPreflightLog(log: (line: string) => void, secrets: () => Iterable<string>) {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return (origin: string): void => {
    if (performance.now() < nextAtMs) return;
    nextAtMs = performance.now() + logEveryMs;
    const shown = redact(origin.slice(0, maxOriginLength), secrets());
    const printed = redact(shown.replace(/[^\w.:/[\]+-]/g, '?'), secrets());
    log(`CORS_ORIGINS does not list ${printed}: a preflight request was rejected (logged once a minute)`);
  };
}
