import { LRUCache } from 'lru-cache';
import type { Caller, KeyHolder } from '../../rest/caller.ts';
import { ownCopy } from '../../rest/json.ts';
import type { Ttl } from './cache-control.ts';

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
  get(caller: Caller, paths: readonly string[]): CacheEntry | undefined;
  set(caller: Caller, path: string, entry: CacheEntry): void;
  delete(caller: Caller, paths: readonly string[]): void;
}

/** Entries that several gateways share, behind the cache of each. A lost entry costs a call and nothing else. */
export interface SharedStore {
  /** The entry of each path, if there is one. Never rejects. */
  get(caller: KeyHolder, paths: readonly string[]): Promise<readonly (CacheEntry | undefined)[]>;
  set(caller: KeyHolder, path: string, entry: CacheEntry): void;
  delete(caller: KeyHolder, paths: readonly string[]): void;
}

/** A cache in this process, of at most `maxBytes`; the least recently used entries go first. */
export function createMemoryStore(maxBytes: number): CacheStore {
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, name) => body.length + name.length + OVERHEAD_BYTES,
  });
  return {
    get: ({ keyHash }, paths) => bestOf(paths.map((path) => entries.get(entryNameOf(keyHash, path)))),
    set({ keyHash }, path, { body, storedAtMs, ttl }) {
      const entry = { body: ownCopy(body), storedAtMs, ttl };
      entries.set(entryNameOf(keyHash, path), entry, { ttl: ttl.freshMs + ttl.staleMs });
    },
    delete({ keyHash }, paths) {
      for (const path of paths) entries.delete(entryNameOf(keyHash, path));
    },
  };
}

/** The size of an entry besides its body, about. */
const OVERHEAD_BYTES = 300;

/** A digest has one length: no two of these pairs give one name. */
function entryNameOf(keyHash: string, path: string): string {
  return keyHash + path;
}

/** The first fresh entry, else the first stale one; none that has expired. */
function bestOf(entries: readonly (CacheEntry | undefined)[]): CacheEntry | undefined {
  const usable = entries.filter((entry) => entry !== undefined).filter(isUsable);
  return usable.find(isFresh) ?? usable[0];
}

export function isFresh({ storedAtMs, ttl }: CacheEntry): boolean {
  return isYounger(storedAtMs, ttl.freshMs);
}

function isUsable({ storedAtMs, ttl }: CacheEntry): boolean {
  return isYounger(storedAtMs, ttl.freshMs + ttl.staleMs);
}

/** The most by which the clocks of two gateways may differ. */
const TOLERANCE_MS = 1_000;

/** Not true of a time in the future: the clock has been set back since, and the age is not known. */
function isYounger(storedAtMs: number, ms: number): boolean {
  const ageMs = Date.now() - storedAtMs;
  return ageMs >= -TOLERANCE_MS && ageMs < ms;
}
