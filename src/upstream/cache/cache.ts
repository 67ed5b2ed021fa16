import type { Caller } from '../caller.ts';
import type { Ttl } from './ttl.ts';

/** A response of the REST API, stored for the key that it was sent to. */
export interface CacheEntry {
  /** The body, byte for byte: each read of it is decoded into objects of its own. */
  body: Buffer;
  /** When it came, in milliseconds since 1970. */
  storedAtMs: number;
  ttl: Ttl;
}

/** Responses, separate for each key. A lost entry costs a call and nothing else. */
export interface Cache {
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
  return Date.now() < storedAtMs + ttl.freshMs;
}

function isExpired({ storedAtMs, ttl }: CacheEntry): boolean {
  return Date.now() >= storedAtMs + ttl.freshMs + ttl.staleMs;
}
