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

/** What `read` makes of the values of a field: a repeated one is joined with commas, which dates have too. */
export function valuesOf(field: string, read: (value: string) => number | undefined): number[] {
  return field.split(/,(?![ \t]*\d\d[ -][A-Z])/).flatMap((value) => read(value.trim()) ?? []);
}

/** The longest time that counts. */
export const MAX_WAIT_SECONDS = 3600;

/**
 * The delay in a `Retry-After` field (RFC 9110, 10.2.3), in whole seconds from 0 to 3600: the longest of a
 * repeated one; longer delays are cut, and times in the past are 0. A date counts from the response's own
 * `Date`, because the clocks of two machines differ. Undefined without seconds and dates.
 */
export function retryAfterFrom(headers: IncomingHttpHeaders, nowMs = Date.now()): number | undefined {
  const [sentAtMs = nowMs] = valuesOf(fieldOf(headers, 'date'), msFromDate);
  const seconds = valuesOf(fieldOf(headers, 'retry-after'), (value) => {
    if (/^\d+$/.test(value)) return Number(value);
    const ms = msFromDate(value);
    return ms === undefined ? undefined : Math.ceil((ms - sentAtMs) / 1000);
  });
  return seconds.length === 0 ? undefined : Math.min(Math.max(0, ...seconds), MAX_WAIT_SECONDS);
}
