import { startSharedCount } from './shared-count.ts';
import { type Consumed, createWindows } from './windows.ts';

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
  /** Whole seconds until the window is over, at least one and at most `windowS`. */
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

/**
 * Starts counting. Where the shared count is out of reach, this process counts alone until it is back: a key
 * then gets at most `limit` in each process and window, and the API stays up. `onWarning` gets one line, at most
 * once a minute.
 */
export async function startLimiter(
  { limit, windowS, url }: RateLimit,
  onWarning: (line: string) => void = () => {},
): Promise<Limiter> {
  const windowMs = windowS * 1000;
  const own = createWindows(windowMs);
  const shared = url === undefined ? null : await startSharedCount(url, { limit, windowMs }, onWarning);
  const turnFrom = ({ used, leftMs }: Consumed): Turn => ({
    passes: used <= limit,
    remaining: Math.max(0, limit - used),
    resetS: Math.min(windowS, Math.max(1, Math.ceil(leftMs / 1000))),
  });
  return {
    policy: `"key";q=${limit};w=${windowS}`,
    async take(name) {
      // Counted here as well, so that a window in which the shared count is lost does not begin anew.
      const mine = own.consume(name);
      return turnFrom(shared ? await shared.consume(name).catch(() => mine) : mine);
    },
    close: () => shared?.close(),
  };
}

/** The fields of the IETF's draft on rate limits, name and value in turn; a refusal also has `Retry-After`. */
export function fieldsFromTurn(policy: string, { passes, remaining, resetS }: Turn): string[] {
  const fields = ['ratelimit-policy', policy, 'ratelimit', `"key";r=${remaining};t=${resetS}`];
  return passes ? fields : [...fields, 'retry-after', String(resetS)];
}
