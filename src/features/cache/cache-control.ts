import type { UpstreamResponse } from '../../rest/call.ts';
import { fieldOf, msFromDate } from '../../rest/http-date.ts';

/** How long a response may be served again, in milliseconds from when it came. */
export interface Ttl {
  /** In place of a call. */
  freshMs: number;
  /** After that, in place of a failure. */
  staleMs: number;
}

/**
 * The `configured` times as the response's `Cache-Control`, `Age`, `Expires` and `Vary` shorten them (RFC
 * 9111); they never lengthen them. Null where the response must not be stored.
 */
export function ttlOf(
  { status, headers }: Pick<UpstreamResponse, 'status' | 'headers'>,
  configured: Ttl,
): Ttl | null {
  if (status !== 200 || fieldOf(headers, 'vary').includes('*')) return null;
  const directives = directivesFrom(fieldOf(headers, 'cache-control'));
  if (directives.has('no-store') || directives.has('no-cache')) return null;
  const maxAge = secondsFrom(directives.get('max-age') ?? String(secondsToExpiry(headers)), 0);
  const age = secondsFrom(fieldOf(headers, 'age') || '0', MAX_S);
  const freshMs = Math.min(configured.freshMs, Math.max(0, maxAge - age) * 1000);
  const staleMs = directives.has('must-revalidate') ? 0 : configured.staleMs;
  return freshMs + staleMs > 0 ? { freshMs, staleMs } : null;
}

/** Between `Date` and `Expires`. No date is one in the past: `Expires: 0`. */
function secondsToExpiry(headers: UpstreamResponse['headers']): number {
  if (headers.expires === undefined) return MAX_S;
  const sentAtMs = msFromDate(fieldOf(headers, 'date')) ?? Date.now();
  const atMs = msFromDate(fieldOf(headers, 'expires')) ?? 0;
  return Math.max(0, Math.floor((atMs - sentAtMs) / 1000));
}

/** Names in lower case, values without quotes; of a repeated directive the first counts (RFC 9111, 4.2.1). */
function directivesFrom(field: string): Map<string, string> {
  const pairs = field.toLowerCase().matchAll(/([a-z-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,"]*)))?/g);
  return new Map([...pairs].reverse().map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']));
}

/** `otherwise` for a malformed or repeated value: chosen so that nothing is fresh. */
function secondsFrom(text: string, otherwise: number): number {
  return /^\d+$/.test(text) ? Math.min(Number(text), MAX_S) : otherwise;
}

/** Longer than any response is stored. */
const MAX_S = 1e9;
