/** The rest of a key's rate limit, as the REST API reports it. Null: not reported. */
export interface Quota {
  /** Calls. */
  remaining: number;
  /** Calls in each window. */
  limit: number | null;
  /** When the latest response came: the seconds until the limit is full again. */
  resetSeconds: number | null;
}

const grouped = new Intl.NumberFormat('en');

/** `5,997 of 6,000 left, resets in 41 s`; without the parts that the REST API does not say. */
export function quotaText({ remaining, limit, resetSeconds }: Quota): string {
  const whole = limit === null ? '' : ` of ${grouped.format(limit)}`;
  const reset = resetSeconds === null ? '' : `, resets in ${waitText(resetSeconds)}`;
  return `${grouped.format(remaining)}${whole} left${reset}`;
}

/** Longer times in minutes. */
function waitText(seconds: number): string {
  return seconds <= 120 ? `${seconds} s` : `${grouped.format(Math.ceil(seconds / 60))} min`;
}

/** True if less than a fifth of the limit is left. */
export function isLow({ remaining, limit }: Quota): boolean {
  return limit !== null && remaining < limit / 5;
}
