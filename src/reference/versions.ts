/** When a version of the API is to go; both are moments, and the second is not before the first. */
export interface Deprecation {
  date: Date;
  sunset: Date | undefined;
}

/** The header fields that tell of it, name and value in turn: RFC 9745 and RFC 8594. */
export function fieldsFromDeprecation(deprecation: Deprecation | undefined): readonly string[] {
  if (!deprecation) return [];
  const { date, sunset } = deprecation;
  const since = ['deprecation', `@${Math.floor(date.getTime() / 1000)}`];
  return sunset ? [...since, 'sunset', sunset.toUTCString()] : since;
}
