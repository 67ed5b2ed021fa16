import type { UpstreamResponse } from '../../rest/call.ts';
import { fieldOf } from '../../rest/http-date.ts';

/** How long a response may be served again, in milliseconds from when it came. */
export interface Ttl {
  /** In place of a call. */
  freshMs: number;
  /** After that, in place of a failure. */
  staleMs: number;
}

/**
 * The `configured` times as the `Cache-Control` of a response shortens them; it never lengthens them. Null if
 * the response must not be stored.
 */
export function ttlOf(
  { status, headers }: Pick<UpstreamResponse, 'status' | 'headers'>,
  configured: Ttl,
): Ttl | null {
  const field = fieldOf(headers, 'cache-control').toLowerCase();
  if (status !== 200 || /\bno-(store|cache)\b/.test(field)) return null;
  // A malformed age is 0.
  const [, maxAge = '1e9'] = /(?<![\w-])max-age\b[^\d,]{0,9}(\d*)/.exec(field) ?? [];
  const freshMs = Math.min(configured.freshMs, Number(maxAge) * 1000);
  const staleMs = field.includes('must-revalidate') ? 0 : configured.staleMs;
  return freshMs + staleMs > 0 ? { freshMs, staleMs } : null;
}
