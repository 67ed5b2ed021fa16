import { type Count, createMemoryCounter } from './memory-counter.ts';
import { startRedisCounter } from './redis-counter.ts';

/** `limit` requests per key in windows of `windowS` seconds (section 8). */
export interface RateLimit {
  limit: number;
  windowS: number;
  /** Redis or Valkey in which several processes count together; undefined: this process counts alone. */
  url?: string | undefined;
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
  /** Counts one request of the key with this public name, and with a limit of its own if any. Never rejects. */
  consume(name: string, ownLimit?: number | null): Promise<RateLimitResult>;
  close(): void;
}

export const defaultRateLimit: RateLimit = { limit: 6000, windowS: 60 };

/**
 * While Redis is unreachable, each process counts alone: a key gets at most `limit` requests per process and
 * window, and the API stays available. `onWarning` is called with one line, at most once a minute.
 */
export async function startLimiter(
  { limit: usualLimit, windowS, url }: RateLimit,
  onWarning: (line: string) => void = () => {},
): Promise<Limiter> {
  const windowMs = windowS * 1000;
  const memory = createMemoryCounter(windowMs);
  const redis = url === undefined ? null : await startRedisCounter(url, windowMs, onWarning);
  const toResult = (limit: number, { used, leftMs }: Count): RateLimitResult => ({
    policy: `"key";q=${limit};w=${windowS}`,
    isAllowed: used <= limit,
    remaining: Math.max(0, limit - used),
    resetS: Math.min(windowS, Math.max(1, Math.ceil(leftMs / 1000))),
  });
  return {
    async consume(name, ownLimit) {
      const limit = ownLimit ?? usualLimit;
      // Always counted in memory too, so that losing Redis within a window does not reset the count to zero.
      const own = memory.consume(name);
      return toResult(limit, redis ? await redis.consume(name, limit).catch(() => own) : own);
    },
    close: () => redis?.close(),
  };
}

/** The header fields of the IETF draft on rate limits; a rejection also has `Retry-After`. */
export function headersFromRateLimit({ policy, isAllowed, remaining, resetS }: RateLimitResult): string[] {
  const headers = ['ratelimit-policy', policy, 'ratelimit', `"key";r=${remaining};t=${resetS}`];
  return isAllowed ? headers : [...headers, 'retry-after', String(resetS)];
}
