import type { Ttl } from '../../upstream/cache-control.ts';
import type { Caller } from '../../upstream/caller.ts';

/** A response of the REST API, stored for the key that it was sent to. */
export interface CacheEntry {
  /** The body, byte for byte: each read of it is decoded into objects of its own. */
  body: Buffer;
  /** When it came, in milliseconds since 1970. */
  storedAtMs: number;
  ttl: Ttl;
}

/** Responses, separate for each key. A lost entry costs a call and nothing else. */
export interface CacheStore {
  /** The first entry under one of these paths that is fresh; if none is, the first that is stale. */
  get(caller: Caller, paths: readonly string[]): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  set(caller: Caller, path: string, entry: CacheEntry): void;
  delete(caller: Caller, paths: readonly string[]): void;
}

/** The first fresh entry, else the first stale one; none that has expired. */
export function bestOf(entries: readonly (CacheEntry | undefined)[]): CacheEntry | undefined {
  return (
    entries.find((entry) => entry && isFresh(entry)) ?? entries.find((entry) => entry && !isExpired(entry))
  );
}

export function isFresh({ storedAtMs, ttl }: CacheEntry): boolean {
  return isYounger(storedAtMs, ttl.freshMs);
}

function isExpired({ storedAtMs, ttl }: CacheEntry): boolean {
  return !isYounger(storedAtMs, ttl.freshMs + ttl.staleMs);
}

/** The clocks of two gateways may differ by so much. */
const TOLERANCE_MS = 1_000;

/** Not true of a time in the future: the clock has been set back since, and the age is not known. */
function isYounger(storedAtMs: number, ms: number): boolean {
  const ageMs = Date.now() - storedAtMs;
  return ageMs >= -TOLERANCE_MS && ageMs < ms;
}
