import { LRUCache } from 'lru-cache';
import type { UpstreamResponse } from '../../rest/call.ts';
import type { ApiKey } from '../../rest/caller.ts';
import { fieldOf } from '../../rest/http-date.ts';
import { ownCopy } from '../../rest/json.ts';

/** How long a response may be served again, in milliseconds from when it came. */
export interface Ttl {
  /** In place of a call. */
  freshMs: number;
  /** After that, in place of a failure. */
  staleMs: number;
}

/** A response of the REST API, stored for the key that it was sent to. */
export interface CacheEntry {
  /** The body, byte for byte: each read of it is decoded into objects of its own. */
  body: Buffer;
  /** When it came, in milliseconds since 1970. */
  storedAtMs: number;
  ttl: Ttl;
}

/** Entries that several gateways share, behind the cache of each. A lost entry costs a call and nothing else. */
export interface SharedStore {
  /** The entry of each path, if there is one. Never rejects. */
  get(key: ApiKey, paths: readonly string[]): Promise<readonly (CacheEntry | undefined)[]>;
  set(key: ApiKey, path: string, entry: CacheEntry): void;
  delete(key: ApiKey, paths: readonly string[]): void;
}

/** The size of an entry besides its body, about. */
const OVERHEAD_BYTES = 300;

/**
 * A cache in this process, of at most `maxBytes`; the least recently used entries go first. What it stores and
 * deletes, it stores and deletes in `shared` too.
 */
export function createStore(maxBytes: number, shared?: SharedStore) {
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, name) => body.length + name.length + OVERHEAD_BYTES,
  });

  /** The first entry under one of these paths that is fresh; if none is, the first that is stale. */
  function get({ hash }: ApiKey, paths: readonly string[]): CacheEntry | undefined {
    const usable = paths.flatMap((path) => entries.get(hash + path) ?? []);
    return usable.find(isFresh) ?? usable[0];
  }

  function keep({ hash }: ApiKey, path: string, { body, storedAtMs, ttl }: CacheEntry): void {
    const leftMs = storedAtMs + ttl.freshMs + ttl.staleMs - Date.now();
    if (leftMs > 0) entries.set(hash + path, { body: ownCopy(body), storedAtMs, ttl }, { ttl: leftMs });
  }

  return {
    get,
    /** The same, once the entries of `shared` are kept here. */
    async getShared(key: ApiKey, paths: readonly string[]): Promise<CacheEntry | undefined> {
      const found = await shared?.get(key, paths);
      for (const [n, path] of paths.entries()) if (found?.[n]) keep(key, path, found[n]);
      return get(key, paths);
    },
    set(key: ApiKey, path: string, entry: CacheEntry): void {
      keep(key, path, entry);
      shared?.set(key, path, entry);
    },
    delete(key: ApiKey, paths: readonly string[]): void {
      for (const path of paths) entries.delete(key.hash + path);
      shared?.delete(key, paths);
    },
  };
}

export function isFresh({ storedAtMs, ttl }: CacheEntry): boolean {
  return Date.now() < storedAtMs + ttl.freshMs;
}

/**
 * The `configured` times as the `Cache-Control` of a response shortens them; it never lengthens them. Null if
 * the response must not be stored.
 */
export function ttlOf(
  { status, headers }: Pick<UpstreamResponse, 'status' | 'headers'>,
  configured: Ttl,
): Ttl | null {
  const field = fieldOf(headers, 'cache-control').toLowerCase();
  if (status !== 200 || /\bno-(store|cache)\b/.test(field)) return null;
  // A malformed age is 0.
  const [, maxAge = '1e9'] = /(?<![\w-])max-age\b[^\d,]{0,9}(\d*)/.exec(field) ?? [];
  const freshMs = Math.min(configured.freshMs, Number(maxAge) * 1000);
  const staleMs = field.includes('must-revalidate') ? 0 : configured.staleMs;
  return freshMs + staleMs > 0 ? { freshMs, staleMs } : null;
}
