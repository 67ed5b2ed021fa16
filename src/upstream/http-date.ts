/** Dates of HTTP (RFC 9110, 5.6.7) in the header fields of a response, and the delays that they stand for. */

const time = '(?<time>\\d\\d:\\d\\d:\\d\\d)';
const month = '(?<month>[A-Z][a-z]{2})';
const weekday = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';

/** IMF-fixdate, and the two that recipients must accept: those of RFC 850 and of asctime(). */
const forms = [
  `^${weekday}, (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`,
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`,
  `^${weekday} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`,
].map((form) => new RegExp(form));

/** In milliseconds since 1970; undefined for no date, 30 February included. */
export function msFromDate(text: string): number | undefined {
  const found = forms.map((form) => form.exec(text)?.groups).find(Boolean);
  const { day, month = '', year = '', time = '' } = found ?? {};
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  // The last second of a minute may be a leap second.
  if (day === undefined || hours > 23 || minutes > 59 || seconds > 60) return undefined;
  const fullYear = year.length === 2 ? withCentury(Number(year)) : year;
  const date = `${day.trim().padStart(2, '0')} ${month} ${fullYear}`;
  const midnight = new Date(`${date} 00:00:00 GMT`);
  // What no calendar has, such as 30 February, is another date by now, or none.
  if (!midnight.toUTCString().includes(date)) return undefined;
  return midnight.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** A year of two digits is at most 50 years ahead. */
function withCentury(year: number): number {
  const latest = new Date().getUTCFullYear() + 50;
  return latest - ((latest - year) % 100);
}

/** What `read` makes of the values of a field: a repeated one is joined with commas, which dates have too. */
export function valuesOf(field: string | null, read: (value: string) => number | undefined): number[] {
  const values = field?.split(/,(?![ \t]*\d\d[ -][A-Z])/) ?? [];
  return values.flatMap((value) => read(value.trim()) ?? []);
}

/** The longest time that counts. */
export const MAX_WAIT_SECONDS = 3600;

/**
 * The delay in a `Retry-After` field (RFC 9110, 10.2.3), in whole seconds from 0 to 3600: the longest of a
 * repeated one; longer delays are cut, and times in the past are 0. A date counts from the response's own
 * `Date`, because the clocks of two machines differ. Undefined without seconds and dates.
 */
export function retryAfterFrom(headers: Pick<Headers, 'get'>, nowMs = Date.now()): number | undefined {
  const [sentAtMs = nowMs] = valuesOf(headers.get('date'), msFromDate);
  const seconds = valuesOf(headers.get('retry-after'), (value) => {
    if (/^\d+$/.test(value)) return Number(value);
    const ms = msFromDate(value);
    return ms === undefined ? undefined : Math.ceil((ms - sentAtMs) / 1000);
  });
  return seconds.length === 0 ? undefined : Math.min(Math.max(0, ...seconds), MAX_WAIT_SECONDS);
}
