import type { UpstreamResponse } from '../call.ts';

/** How long a response may be served again, in milliseconds from when it came. */
export interface Ttl {
  /** In place of a call. */
  freshMs: number;
  /** After that, in place of a failure. */
  staleMs: number;
}

/**
 * The `configured` times as the response's `Cache-Control` and `Age` shorten them (RFC 9111); they never lengthen them.
 * Null where the response must not be stored.
 */
export function ttlOf(
  { status, headers }: Pick<UpstreamResponse, 'status' | 'headers'>,
  configured: Ttl,
): Ttl | null {
  if (status !== 200) return null;
  const directives = directivesFrom(headers['cache-control']);
  if (directives.has('no-store') || directives.has('no-cache')) return null;
  const maxAge = secondsFrom(directives.get('max-age') ?? String(MAX_S), 0);
  const age = secondsFrom(String(headers.age ?? 0), MAX_S);
  const freshMs = Math.min(configured.freshMs, Math.max(0, maxAge - age) * 1000);
  const staleMs = directives.has('must-revalidate') ? 0 : configured.staleMs;
  return freshMs + staleMs > 0 ? { freshMs, staleMs } : null;
}

/** The shorter of the two, in each time. */
export function shorterTtl(one: Ttl, other: Ttl): Ttl {
  return {
    freshMs: Math.min(one.freshMs, other.freshMs),
    staleMs: Math.min(one.staleMs, other.staleMs),
  };
}

/** Names in lower case, values without their quotes; of a repeated directive the first counts (RFC 9111, 4.2.1). */
function directivesFrom(field: string | string[] | undefined): Map<string, string> {
  const list = [field ?? []].flat().join(',').toLowerCase();
  const pairs = list.matchAll(/([a-z-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,"]*)))?/g);
  return new Map([...pairs].reverse().map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']));
}

/** `otherwise` for a malformed or repeated value: chosen so that nothing is fresh. */
function secondsFrom(text: string, otherwise: number): number {
  return /^\d+$/.test(text) ? Math.min(Number(text), MAX_S) : otherwise;
}

/** Longer than any response is stored. */
const MAX_S = 1e9;
