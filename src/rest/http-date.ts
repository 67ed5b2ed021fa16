import type { IncomingHttpHeaders } from 'node:http';

/** Header fields of a response, their dates (RFC 9110, 5.6.7), and the delays that they stand for. */

/** The value of a field, by its name in lower case: empty if it is absent, joined if it is repeated (RFC 9110, 5.3). */
export function fieldOf(headers: IncomingHttpHeaders, name: string): string {
  return String(headers[name] ?? '');
}

/** In milliseconds since 1970; undefined for a text that is not a date in GMT. */
export function msFromDate(text: string): number | undefined {
  const ms = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** The longest time that counts. */
export const MAX_WAIT_SECONDS = 3600;

/**
 * The delay in a `Retry-After` field (RFC 9110, 10.2.3), in whole seconds from 0 to 3600: longer delays are cut, and
 * times in the past are 0. Undefined if it is neither seconds nor a date.
 */
export function retryAfterFrom(headers: IncomingHttpHeaders, nowMs = Date.now()): number | undefined {
  const text = fieldOf(headers, 'retry-after');
  const ms = msFromDate(text);
  if (ms === undefined && !/^\d+$/.test(text)) return undefined;
  const seconds = ms === undefined ? Number(text) : Math.ceil((ms - nowMs) / 1000);
  return Math.min(Math.max(0, seconds), MAX_WAIT_SECONDS);
}
