import type { IncomingHttpHeaders } from 'node:http';

/** The value of a field, by its name in lower case: empty if absent, joined if repeated (RFC 9110, 5.3), trimmed (5.5). */
export function fieldOf(headers: IncomingHttpHeaders, name: string): string {
  return String(headers[name] ?? '').trim();
}

/** In milliseconds since 1970; undefined for a text that is not a date in GMT. */
export function msFromDate(text: string): number | undefined {
  const ms = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

export const MAX_WAIT_SECONDS = 3600;

/** A `Retry-After` (RFC 9110, 10.2.3) as whole seconds from 0 to 3600; undefined if it is no time. */
export function retryAfterFrom(headers: IncomingHttpHeaders, nowMs = Date.now()): number | undefined {
  const text = fieldOf(headers, 'retry-after');
  const ms = msFromDate(text);
  if (ms === undefined && !/^\d+$/.test(text)) return undefined;
  const seconds = ms === undefined ? Number(text) : Math.ceil((ms - nowMs) / 1000);
  return Math.min(Math.max(0, seconds), MAX_WAIT_SECONDS);
}
