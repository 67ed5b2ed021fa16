/** The remaining quota of a key. Null: the REST API does not say. */
export interface Quota {
  remaining: number;
  /** How many calls the key may make in each window. */
  limit: number | null;
  windowSeconds: number | null;
  resetSeconds: number | null;
}

/** Since when the REST API is deprecated and when it ends, in ISO 8601. Null: it does not say. */
export interface Deprecation {
  since: string | null;
  sunset: string | null;
}

/** From the header fields of one response, or of all responses to the calls of an operation. */
export interface Notices {
  readonly quota: Quota | null;
  /** How long the rest of the key's quota is to be left to queries. */
  readonly reservedMs: number;
  readonly deprecation: Deprecation | null;
}

/** Both together: the quota with the least remaining, and the latest deprecation. */
export function combined(one: Notices | null, other: Notices): Notices {
  if (!one) return other;
  const isLess = one.quota === null || (other.quota !== null && other.quota.remaining < one.quota.remaining);
  return {
    quota: isLess ? other.quota : one.quota,
    reservedMs: Math.max(one.reservedMs, other.reservedMs),
    deprecation: other.deprecation ?? one.deprecation,
  };
}
