import type { Exchange } from './exchange.ts';

/** How long an answer may be served again, in milliseconds from when it came. */
export interface Life {
  /** In place of a call. */
  freshMs: number;
  /** After that, in place of a failure. */
  staleMs: number;
}

/**
 * What is left of `life` after the answer's `Cache-Control` and `Age` (RFC 9111): they can shorten it and never lengthen
 * it. Null where the answer is not to be kept.
 */
export function lifeOf({ status, headers }: Pick<Exchange, 'status' | 'headers'>, life: Life): Life | null {
  if (status !== 200) return null;
  const directives = directivesFrom(headers['cache-control']);
  if (directives.has('no-store') || directives.has('no-cache')) return null;
  const maxAge = secondsFrom(directives.get('max-age') ?? String(LONGEST_S), 0);
  const age = secondsFrom(String(headers.age ?? 0), LONGEST_S);
  const freshMs = Math.min(life.freshMs, Math.max(0, maxAge - age) * 1000);
  const staleMs = directives.has('must-revalidate') ? 0 : life.staleMs;
  return freshMs + staleMs > 0 ? { freshMs, staleMs } : null;
}

/** The shorter of two lives, in each of its times. */
export function shorterLife(one: Life, other: Life): Life {
  return {
    freshMs: Math.min(one.freshMs, other.freshMs),
    staleMs: Math.min(one.staleMs, other.staleMs),
  };
}

/** Names in lower case, values without their quotes; of what is said twice, the first counts (RFC 9111, 4.2.1). */
function directivesFrom(field: string | string[] | undefined): Map<string, string> {
  const list = [field ?? []].flat().join(',').toLowerCase();
  const pairs = list.matchAll(/([a-z-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s,"]*)))?/g);
  return new Map([...pairs].reverse().map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? '']));
}

/** What cannot be read, or is said twice, is taken so that nothing is fresh. */
function secondsFrom(text: string, otherwise: number): number {
  return /^\d+$/.test(text) ? Math.min(Number(text), LONGEST_S) : otherwise;
}

/** Longer than any answer is kept. */
const LONGEST_S = 1e9;
