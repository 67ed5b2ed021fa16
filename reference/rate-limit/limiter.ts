/** `limit` requests per key in windows of `windowS` seconds (section 8). */
export interface RateLimit {
  limit: number;
  windowS: number;
}

export interface RateLimitResult {
  /** The value of `RateLimit-Policy`. */
  policy: string;
  isAllowed: boolean;
  remaining: number;
  /** Whole seconds until the window ends, from 1 to `windowS`. */
  resetS: number;
}

export interface Limiter {
  /** Counts one request of the key with this public name, and with a limit of its own if any. */
  consume(name: string, ownLimit?: number | null): RateLimitResult;
}

export const defaultRateLimit: RateLimit = { limit: 6000, windowS: 60 };

/**
 * Counts requests per key in the memory of this process. A window begins with its first request, in monotonic time, so
 * that changes of the system clock do not affect it.
 */
export function createLimiter({ limit: usualLimit, windowS }: RateLimit): Limiter {
  const windowMs = windowS * 1000;
  // Ordered by end, because all windows have the same length. Bounded: only names of existing keys are counted.
  const windows = new Map<string, { used: number; endsAtMs: number }>();

  function open(name: string, nowMs: number) {
    for (const [ended, { endsAtMs }] of windows) {
      if (endsAtMs > nowMs) break;
      windows.delete(ended);
    }
    const window = { used: 0, endsAtMs: nowMs + windowMs };
    windows.set(name, window);
    return window;
  }

  return {
    consume(name, ownLimit) {
      const limit = ownLimit ?? usualLimit;
      const nowMs = performance.now();
      const last = windows.get(name);
      const window = last && last.endsAtMs > nowMs ? last : open(name, nowMs);
      window.used += 1;
      return {
        policy: `"key";q=${limit};w=${windowS}`,
        isAllowed: window.used <= limit,
        remaining: Math.max(0, limit - window.used),
        resetS: Math.min(windowS, Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000))),
      };
    },
  };
}

/** The header fields of the IETF draft on rate limits; a rejection also has `Retry-After`. */
export function headersFromRateLimit({ policy, isAllowed, remaining, resetS }: RateLimitResult): string[] {
  const headers = ['ratelimit-policy', policy, 'ratelimit', `"key";r=${remaining};t=${resetS}`];
  return isAllowed ? headers : [...headers, 'retry-after', String(resetS)];
}
