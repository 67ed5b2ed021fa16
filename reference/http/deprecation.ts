/** When a version of the API is deprecated and ends; `sunset` is not before `date`. */
export interface Deprecation {
  date: Date;
  sunset: Date | undefined;
}

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594), as alternating names and values. */
export function headersFromDeprecation(deprecation: Deprecation | undefined): readonly string[] {
  if (!deprecation) return [];
  const { date, sunset } = deprecation;
  const since = ['deprecation', `@${Math.floor(date.getTime() / 1000)}`];
  return sunset ? [...since, 'sunset', sunset.toUTCString()] : since;
}
