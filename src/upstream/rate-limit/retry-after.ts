const MAX_SECONDS = 3600;
const imfFixdate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The delay in a `Retry-After` field (RFC 9110, 10.2.3), in whole seconds from 0 to 3600: longer delays are cut, times in
 * the past are 0, and a value that is neither seconds nor a date is `undefined`.
 */
export function retryAfterFrom(field: string | string[] | undefined, nowMs: number): number | undefined {
  const text = typeof field === 'string' ? field.trim() : '';
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, nowMs);
  return seconds === undefined ? undefined : Math.min(Math.max(seconds, 0), MAX_SECONDS);
}

function secondsUntil(date: string, nowMs: number): number | undefined {
  const ms = imfFixdate.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.ceil((ms - nowMs) / 1000);
}
