import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { startSharedCount } from './shared-count.ts';

/** How much one key may ask: `limit` requests in windows of `windowS` seconds (section 8). */
export interface RateLimit {
  limit: number;
  windowS: number;
  /** Redis or Valkey, where several processes count together; undefined: this process counts alone. */
  url?: string | undefined;
}

/** One request's place in its window. */
export interface Turn {
  passes: boolean;
  remaining: number;
  /** Whole seconds until the window is over, at least one. */
  resetS: number;
}

export interface Limiter {
  /** The value of `RateLimit-Policy`. */
  policy: string;
  /** Counts one request of the key with this public name. Never rejects. */
  take(name: string): Promise<Turn>;
  close(): void;
}

export const defaultRateLimit: RateLimit = { limit: 6000, windowS: 60 };

interface Count {
  consume(name: string): Promise<RateLimiterRes>;
}

/**
 * Starts counting. Where the shared count is out of reach, this process counts alone until it is back: a key
 * then gets at most `limit` in each process and window, and the API stays up. `onFault` hears of each loss.
 */
export async function startLimiter(
  { limit, windowS, url }: RateLimit,
  onFault: (error: unknown) => void = () => {},
): Promise<Limiter> {
  const budget = { points: limit, duration: windowS };
  const own = new RateLimiterMemory(budget);
  const shared = url === undefined ? null : await startSharedCount(url, budget, onFault);
  return {
    policy: `"key";q=${limit};w=${windowS}`,
    take(name) {
      // Counted here as well, so that a window in which the shared count is lost does not begin anew.
      const mine = turnIn(own, name);
      return shared ? turnIn(shared, name).catch(() => mine) : mine;
    },
    close: () => shared?.close(),
  };
}

/** Rejects where the count itself fails, which the one in memory never does. */
async function turnIn(count: Count, name: string): Promise<Turn> {
  try {
    return turnFrom(await count.consume(name), true);
  } catch (outcome) {
    if (outcome instanceof RateLimiterRes) return turnFrom(outcome, false);
    throw outcome;
  }
}

function turnFrom({ remainingPoints, msBeforeNext }: RateLimiterRes, passes: boolean): Turn {
  return { passes, remaining: remainingPoints, resetS: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
}

/** The fields of the IETF's draft on rate limits, name and value in turn; a refusal also has `Retry-After`. */
export function fieldsFromTurn(policy: string, { passes, remaining, resetS }: Turn): string[] {
  const fields = ['ratelimit-policy', policy, 'ratelimit', `"key";r=${remaining};t=${resetS}`];
  return passes ? fields : [...fields, 'retry-after', String(resetS)];
}
